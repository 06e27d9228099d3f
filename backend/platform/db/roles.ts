import type pg from 'pg'
import { errorCode, isError, StartupError } from '../core/errors.ts'

/**
 * The database roles under which statements run. They can't sign in, and they belong to the server, so all databases of
 * a server share them.
 */
export interface Roles {
  /** Sees the rows of one workspace: see workspace-scope.ts. */
  workspace: string
  /** Sees the rows of all workspaces. */
  service: string
}

/** Migrations and functions contain these names too. */
export const roles: Roles = { workspace: 'outdial_workspace', service: 'outdial_service' }

/** An attempt can fail because another process that starts at the same time creates or grants the same role. */
const maxAttempts = 20

/**
 * Creates the roles if they're missing, and grants them to the current user.
 *
 * @throws {StartupError} with the SQL that an administrator must run, if the current user may not run it
 */
export async function ensureRoles(client: pg.ClientBase, wanted: Roles = roles): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const statements = await findMissingStatements(client, wanted)
    if (statements.length === 0) return
    try {
      for (const statement of statements) await client.query(statement)
      // Granting can succeed without effect. If so, the same statements are still missing.
      if ((await findMissingStatements(client, wanted)).length === 0) return
      throw missingRoles(statements)
    } catch (error) {
      if (errorCode(error) === '42501') throw missingRoles(statements, error)
      if (!isRace(error) || attempt === maxAttempts) throw error
    }
  }
}

interface RoleState {
  name: string
  user: string
  version: number
  exists: boolean
  /** True if the role ignores the policies that hide rows. Null, like the next two fields, if the role doesn't exist. */
  bypasses: boolean | null
  canSet: boolean | null
  inherits: boolean | null
}

/** Returns the SQL statements that must still run so that the current user can use both roles. */
async function findMissingStatements(client: pg.ClientBase, wanted: Roles): Promise<string[]> {
  const { rows } = await client.query<RoleState>(
    `select wanted.name, current_user as user, version, pg_roles.oid is not null as exists,
       rolsuper or rolbypassrls as bypasses,
       pg_has_role(current_user, pg_roles.oid, case when version >= 16 then 'SET' else 'MEMBER' end) as "canSet",
       pg_has_role(current_user, pg_roles.oid, 'USAGE') as inherits
     from unnest($1::text[]) with ordinality as wanted (name, position)
     cross join (select current_setting('server_version_num')::int / 10000 as version) as server
     left join pg_roles on rolname = wanted.name
     order by wanted.position`,
    [[wanted.workspace, wanted.service]],
  )
  return rows.flatMap((role) => toStatements(client, role, role.name === wanted.service))
}

/**
 * @param mustInherit true for the service role: migrations change rows as the current user, and the policies would
 *   otherwise hide all rows from that user
 */
function toStatements(client: pg.ClientBase, role: RoleState, mustInherit: boolean): string[] {
  const name = client.escapeIdentifier(role.name)
  const user = client.escapeIdentifier(role.user)
  const options = role.version >= 16 ? ' with inherit true, set true' : ''
  const statements = role.exists ? [] : [`create role ${name} nologin`]
  if (role.bypasses) statements.push(`alter role ${name} nosuperuser nobypassrls`)
  const isGranted = role.canSet === true && (!mustInherit || role.inherits === true)
  // Before version 16 of PostgreSQL, a user with NOINHERIT never inherits.
  if (role.version < 16 && mustInherit && role.canSet === true && !role.inherits)
    statements.push(`alter role ${user} inherit`)
  else if (!isGranted) statements.push(`grant ${name} to ${user}${options}`)
  return statements
}

/** Returns true for an error that occurs if two processes change the same role or right at the same time. */
export const isRace = (error: unknown): boolean =>
  ['23505', '42710'].includes(errorCode(error)) ||
  (errorCode(error) === 'XX000' && isError(error) && error.message.includes('concurrently updated'))

const missingRoles = (statements: readonly string[], cause?: unknown) =>
  new StartupError(
    'The user in DATABASE_URL must be able to use two database roles, but has no right to create or grant them. ' +
      `Run this SQL as an administrator of the database server, then start Outdial again:\n\n${statements.join(';\n')};`,
    { cause },
  )

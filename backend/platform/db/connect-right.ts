// cspell:ignore aclexplode authid datacl datdba datid refclassid refobjid shdepend usesysid
import type pg from 'pg'
import type { Logger } from 'pino'
import { isRace } from './roles.ts'

interface ConnectRight {
  database: string
  /** True if every user of the server may connect. */
  isPublic: boolean
  isOwner: boolean
  /** Users who lose the right if it's taken from the public. */
  others: string[]
}

/**
 * Takes the right to connect to the database from the public, so that users of other databases on the server can't read it:
 * installations that share a server also share the roles, and a user who has the roles would see all rows. First, logs the
 * users who use the database and will lose the right, because they have it only as part of the public.
 */
export async function takeConnectFromPublic(
  client: pg.ClientBase,
  log?: Pick<Logger, 'warn'>,
): Promise<void> {
  const { database, isPublic, isOwner, others } = await readConnectRight(client)
  if (!isPublic) return
  const name = client.escapeIdentifier(database)
  if (!isOwner) {
    log?.warn(
      `every user of the database server may connect to this database. Run this SQL as its owner: revoke connect on database ${name} from public;`,
    )
    return
  }
  if (others.length > 0) {
    const users = others.map((user) => client.escapeIdentifier(user)).join(', ')
    log?.warn(
      `from now on, only the database's owner and users with their own grant can connect to it. These users are losing ` +
        `access, although they are connected to it or have privileges in it: ${users}. ` +
        `To let them connect again, run this SQL: grant connect on database ${name} to ${users};`,
    )
  }
  // Another process that starts at the same time may have been faster.
  await client.query(`revoke connect on database ${name} from public`).catch((error: unknown) => {
    if (!isRace(error)) throw error
  })
}

/**
 * Reads who may connect. To find users of the database, looks at connections, which show who uses it now, and at
 * dependencies, which show who owns something in it or has rights.
 */
async function readConnectRight(client: pg.ClientBase): Promise<ConnectRight> {
  const { rows } = await client.query<ConnectRight>(
    `select datname as database, has_database_privilege('public', pg_database.oid, 'connect') as "isPublic",
       pg_has_role(datdba, 'USAGE') as "isOwner",
       array(
         select rolname::text from pg_roles
         where rolcanlogin and not rolsuper and not pg_has_role(pg_roles.oid, datdba, 'USAGE')
           and (
             exists (select from pg_stat_activity where datid = pg_database.oid and usesysid = pg_roles.oid)
             or exists (
               select from pg_shdepend
               where dbid = pg_database.oid and refclassid = 'pg_authid'::regclass and refobjid = pg_roles.oid
             )
           )
           and not exists (
             select from aclexplode(datacl) as acl
             where privilege_type = 'CONNECT' and grantee <> 0 and pg_has_role(pg_roles.oid, grantee, 'USAGE')
           )
         order by rolname
       ) as others
     from pg_database where datname = current_database()`,
  )
  const [right] = rows
  if (right === undefined) throw new Error('invariant: the current database is in pg_database')
  return right
}

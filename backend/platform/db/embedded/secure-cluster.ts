import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { lchown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { StartupError } from '../../core/errors.ts'
import { readOrCreateSecret } from '../../core/secret-on-disk.ts'
import type { Binaries } from './binaries.ts'
import type { DataDir } from './data-dir.ts'
import { postgresEnvironment } from './postmaster.ts'

/** The role that connects to the embedded database, and its password. */
export interface Login {
  /** The superuser `postgres` is only for tests, which create databases. */
  role: 'outdial' | 'postgres'
  password: string
}

/** Reads the password in DATA_DIR, and creates it at the first start. */
export const readPassword = ({ path: folder }: Pick<DataDir, 'path'>): Promise<string> =>
  readOrCreateSecret(path.join(folder, 'database-password'))

/**
 * Makes PostgreSQL ask for the password of the login's role, and gives everything in the database to that role. Does
 * nothing if the access rules show that this has been done for the same password. Call it while the server is stopped.
 *
 * @throws {StartupError} if PostgreSQL can't open the database
 */
export async function secureCluster(
  { path: folder, cluster, account }: DataDir,
  { postgres }: Binaries,
  login: Login,
): Promise<void> {
  const rulesFile = path.join(cluster, 'pg_hba.conf')
  const rules = formatAccessRules(login)
  if ((await readFile(rulesFile, 'utf8').catch(() => '')) === rules) return

  // A server in single-user mode needs no password. It reads one statement per line.
  const settings = ['log_min_error_statement=panic', 'exit_on_error=on'].flatMap((setting) => ['-c', setting])
  const server = spawn(postgres, ['--single', '-D', cluster, ...settings, 'postgres'], {
    ...account.ids,
    cwd: cluster,
    env: postgresEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  server.stdin.on('error', () => {}) // the server ended early; its output says why
  server.stdin.end(
    setupStatements(login)
      .map((statement) => `${statement.replace(/\s+/g, ' ')}\n`)
      .join(''),
  )
  const [output, [code]] = await Promise.all([
    text(server.stderr),
    once(server, 'close') as Promise<[number]>,
  ])
  const failure = output.split('\n').find((line) => /(ERROR|FATAL|PANIC):/.test(line))
  if (code !== 0 || failure !== undefined) {
    const reason = failure?.replace(/^.*(ERROR|FATAL|PANIC): +/, '') ?? `it ended with the code ${code}`
    throw new StartupError(
      `The embedded PostgreSQL couldn't be set up in DATA_DIR ${folder}: ${reason}. Correct this, then start Outdial ` +
        `again, or set DATA_DIR to another folder.`,
    )
  }

  const newFile = `${rulesFile}.new`
  await rm(newFile, { force: true })
  await writeFile(newFile, rules, { mode: 0o600, flag: 'wx', flush: true })
  if (account.ids) await lchown(newFile, account.ids.uid, account.ids.gid)
  await rename(newFile, rulesFile)
}

/**
 * Returns the content of pg_hba.conf. The file is written last, so its checksum shows that the role already has this
 * password. The line for TCP is used only on Windows.
 */
const formatAccessRules = ({ role, password }: Login): string => `# Written by Outdial for the role ${role}.
# Checksum of the password: ${createHash('sha256').update(password).digest('hex').slice(0, 16)}
local all all              scram-sha-256
host  all all 127.0.0.1/32 scram-sha-256
`

const setupStatements = ({ role, password }: Login): string[] => [
  `do $$ begin
    if not exists (select from pg_roles where rolname = 'outdial') then create role outdial; end if;
  end $$`,
  // The role `outdial` creates the roles that limit access to rows.
  `alter role outdial with login createrole nosuperuser nocreatedb noreplication nobypassrls password null`,
  // Without a password, the superuser can't sign in.
  `alter role postgres with password null`,
  `alter role ${role} with password '${password}'`,
  `alter database postgres owner to outdial`,
]

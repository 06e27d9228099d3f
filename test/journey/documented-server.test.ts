import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { CallList } from '@outdial/contract'
import pg from 'pg'
import pino from 'pino'
import { parseConfig } from '../../backend/config.ts'
import { errorCode } from '../../backend/platform/core/errors.ts'
import { openRuntimeSigningKeys } from '../../backend/platform/secrets/runtime-signing-keys.ts'
import { DemoFile } from '../../backend/service/demo/demo-file.ts'
import { waitFor } from '../../backend/test/support/wait.ts'
import { interpolate, readCompose } from '../support/compose.ts'
import { readPage, root } from '../support/docs.ts'
import { canDump, commandRunBy, commandsRunBy, withoutNpm } from '../support/documented-commands.ts'
import { startByCommand, type StartedCommand } from './service-process.ts'

// These tests run the commands of the guides about servers, dumps, and upgrades, and about agent runtimes.
const thisTest = 'test/journey/documented-server.test.ts'
const timeoutMs = 120_000
const server =
  process.env.DATABASE_URL || process.env.CI_DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres'
const install = (pattern: RegExp) => commandRunBy(thisTest, 'docs/guides/install.md', pattern)
const upgrade = (pattern: RegExp) => commandRunBy(thisTest, 'docs/guides/upgrade.md', pattern)
const backups = (pattern: RegExp) => commandRunBy(thisTest, 'docs/guides/backups.md', pattern)

/** Registers a test that needs pg_dump and a PostgreSQL server that isn't newer than it. Without them, the test is skipped. */
function itWithPgDump(name: string, test: () => Promise<void>): void {
  if (canDump(server)) it(name, test, timeoutMs)
  else it.skip(`${name} (SKIPPED: set DATABASE_URL to a server that your pg_dump can read)`, () => {})
}

type Environment = Record<string, string | undefined>
let folder: string
const services: StartedCommand[] = []
const folders: string[] = []
const name = `outdial_docs_${randomBytes(6).toString('hex')}`
const databases: string[] = []
const secrets = { SECRET_KEY: 'k'.repeat(32), RUNTIME_SECRET: 'r'.repeat(32) }
const environment: Environment = { ...process.env, DATABASE_URL: '', PORT: '0', LOG_LEVEL: 'info' }

beforeAll(async () => {
  folder = await newFolder()
})
afterAll(async () => {
  for (const service of services) await service.stop()
  for (const each of folders) await rm(each, { recursive: true, force: true })
  for (const each of databases) await administer(`drop database if exists ${each} with (force)`)
  if (databases.length > 0) await administer(`drop role if exists ${name}`)
}, timeoutMs)

async function newFolder(): Promise<string> {
  const created = await mkdtemp(path.join(tmpdir(), 'outdial-docs-'))
  folders.push(created)
  return created
}

async function start(command: string, env: Environment): Promise<StartedCommand> {
  const service = await startByCommand(command, env)
  services.push(service)
  return service
}

async function run(command: string, env: Environment = environment, cwd = folder): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', withoutNpm(command)], { cwd, env })
  return stdout
}

/** Runs `export` commands in a shell, and returns the shell's environment afterward. */
async function environmentAfter(commands: string): Promise<Environment> {
  expect(commands).not.toContain('…')
  const printed = await run(`${commands}\n'${process.execPath}' -p 'JSON.stringify(process.env)'`)
  return JSON.parse(printed) as Environment
}

const emailsOfUsers = async (env: Environment) => {
  const users = JSON.parse(await run('npm run admin -- list-users --json', env)) as { email: string }[]
  return users.map(({ email }) => email)
}

async function administer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

/** Creates the roles with the documented SQL. They may exist already, because all databases of a server share them. */
async function createRoles(): Promise<void> {
  const [, statements = ''] =
    /```sql\n(create role outdial_workspace[^`]*)```/.exec(readPage('docs/guides/install.md')) ?? []
  for (const statement of statements.split(';\n').filter(Boolean)) {
    await administer(statement.replace(/ outdial$/, ` ${name}`)).catch((error: unknown) => {
      if (errorCode(error) !== '42710') throw error
    })
  }
}

/** Creates an empty database that belongs to an ordinary user, as the docs recommend, and returns its URL. */
async function createDatabase(): Promise<string> {
  const database = `${name}_${databases.length}`
  if (databases.length === 0) {
    await administer(`create role ${name} login password '${name}'`)
    await createRoles()
  }
  databases.push(database)
  await administer(`create database ${database} owner ${name} encoding UTF8 template template0`)
  const url = new URL(server)
  Object.assign(url, { pathname: `/${database}`, username: name, password: name })
  return url.href
}

/** Dumps a running embedded database as documented. Returns the error of a pg_dump that's too old for the server. */
async function dumpEmbedded(dataDir: string): Promise<string> {
  const dump = run(backups(/^pg_dump .*owner/), { ...environment, DATA_DIR: dataDir }, await newFolder())
  const failed = await dump.catch((error: unknown) => error)
  return failed instanceof Error && 'stderr' in failed ? String(failed.stderr) : ''
}

/** Returns a page's `export` commands. Their comments name the commands that create secrets, whose output is filled in. */
const exportsOf = (page: string): string => {
  const text = readPage(page)
  const commands = commandsRunBy(thisTest, page).filter((command) => command.startsWith('export '))
  return commands
    .map((command) => {
      const [, generator] = new RegExp(`^${command} +# (openssl [^;\n]+)`, 'm').exec(text) ?? []
      return generator === undefined ? command : command.replace('…', `$(${generator})`)
    })
    .join('\n')
}

itWithPgDump(
  'starts a server with the commands in docs/guides/install.md, and restores a dump of its database in another one',
  async () => {
    const url = await createDatabase()
    const settings = exportsOf('docs/guides/install.md').replace(/postgres:\S+/, url)
    const configured = await environmentAfter(settings)

    const service = await start(install(/^npm start$/), configured)
    expect(service.output).toContain('https://calls.example.com')
    await run('npm run admin -- create-user --email robin@example.com --name Robin', configured)
    await run(backups(/^pg_dump --format/), configured)
    await service.stop()
    const restored = { ...configured, DATABASE_URL: await createDatabase() }
    await run(backups(/^pg_restore /), restored)

    expect(await emailsOfUsers(restored)).toEqual(['robin@example.com'])
  },
)

itWithPgDump(
  "the documented commands move an embedded database's data to another PostgreSQL server and to a new embedded database",
  async () => {
    // Uses this server instead of an embedded database, whose version would have to match pg_dump's.
    const old = await createDatabase()
    const configured = { ...environment, ...secrets }
    await run('npm run admin -- create-user --email robin@example.com --name Robin', {
      ...configured,
      DATABASE_URL: old,
    })
    const oldDataDir = await newFolder()
    await writeFile(path.join(oldDataDir, 'owner.json'), JSON.stringify({ url: old }))
    await run(backups(/^pg_dump .*owner/), { ...environment, DATA_DIR: oldDataDir })

    const moved = { ...configured, DATABASE_URL: await createDatabase() }
    await run(backups(/^psql "\$DATABASE_URL"/), moved)
    expect(await emailsOfUsers(moved)).toEqual(['robin@example.com'])

    const dataDir = await newFolder()
    await chmod(dataDir, 0o755) // the mode that mkdir gives it
    await writeFile(path.join(dataDir, 'secret-key'), secrets.SECRET_KEY, { mode: 0o600 })
    await writeFile(path.join(dataDir, 'runtime-secret'), secrets.RUNTIME_SECRET, { mode: 0o600 })
    const upgraded = { ...environment, DATA_DIR: dataDir }
    const first = await start(upgrade(/^ROLE=api /), upgraded)
    expect(await dumpEmbedded(dataDir)).toMatch(/^$|server version mismatch/)
    await run(upgrade(/^psql "\$\(node/), upgraded)
    await first.stop()
    await rm(path.join(dataDir, 'demo.json'))
    const second = await start(install(/^npm start$/), upgraded)
    // This start also adds the demo workspace, because the moved data didn't contain it.
    expect(await emailsOfUsers(upgraded)).toEqual(['robin@example.com', 'demo@example.com'])
    await second.stop()
  },
)

it(
  'restores the archive of an embedded database, and then places a call with the commands in examples/runtime/README.md',
  async () => {
    const [startRuntime = '', startOutdial = ''] = commandsRunBy(thisTest, 'examples/runtime/README.md')
    const runtime = await startByCommand(startRuntime, { ...environment, SECOND_MS: '20' })
    services.push(runtime)
    const runtimeUrl = /is ready at (\S+)/.exec(runtime.output)?.[1] ?? ''
    const command = startOutdial.replace('http://127.0.0.1:8790', runtimeUrl)
    const dataDir = await newFolder()
    const first = await start(command, { ...environment, DATA_DIR: dataDir })
    await first.stop()
    await run(backups(/^tar .*-czf/), { ...environment, DATA_DIR: dataDir })
    const restored = await newFolder()
    await run(backups(/^tar .*-xpzf/), { ...environment, DATA_DIR: restored })
    await start(command, { ...environment, DATA_DIR: restored })

    const demo = DemoFile.parse(JSON.parse(await readFile(path.join(restored, 'demo.json'), 'utf8')))
    const api = async (apiPath: string, body?: object) => {
      const response = await fetch(`${demo.base_url}/api/public/v1${apiPath}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${demo.api_key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      return response.json()
    }
    await api('/contacts/', { phone_number: '+12025550123', campaign_id: demo.campaign_id })
    const call = await waitFor(async () => {
      const [latest] = CallList.parse(await api('/calls/')).results
      return latest?.status === 'completed' && latest
    })
    expect(call).toMatchObject({ outcome: 'answered', contact: { phone_number: '+12025550123' } })
  },
  timeoutMs,
)

it('the service accepts the settings that docs/reference/runtime.md gives for an agent runtime', async () => {
  const configured = await environmentAfter(exportsOf('docs/reference/runtime.md'))
  expect(parseConfig(configured)).toMatchObject({
    telephony: 'http',
    internalUrl: 'http://outdial.internal:8787',
  })
  const keys = await openRuntimeSigningKeys(parseConfig(configured), pino({ level: 'silent' }))
  expect(keys.list()).toHaveLength(1)
})

it('the commands in docs/guides/install.md write all the secrets that compose.yaml requires', async () => {
  for (const command of commandsRunBy(thisTest, 'docs/guides/install.md'))
    if (command.startsWith('echo ')) await run(command)
  const variables = parseEnv(await readFile(path.join(folder, '.env'), 'utf8')) as Record<string, string>
  const { outdial } = readCompose(path.join(root, 'compose.yaml')).services
  const settings = Object.entries(outdial?.environment ?? {}).map(([key, value]) => [
    key,
    interpolate(value, variables),
  ])

  expect(() => parseConfig(Object.fromEntries(settings) as Record<string, string>)).not.toThrow()
})

import { execFile } from 'node:child_process'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, it } from '@jest/globals'
import { type Call, CallList, type Campaign, type ContactAdded } from '@outdial/contract'
import pg from 'pg'
import pino from 'pino'
import { createApiKey } from '../../backend/accounts/identity/api-keys.ts'
import { connect } from '../../backend/platform/db/connect.ts'
import { type Account, findAccount } from '../../backend/platform/db/embedded/os-account.ts'
import { postgresEnvironment, startPostmaster } from '../../backend/platform/db/embedded/postmaster.ts'
import { createTemporaryFolder } from '../../backend/platform/db/embedded/private-folder.ts'
import { findFreePort } from '../../backend/platform/db/embedded/server-address.ts'
import { roles } from '../../backend/platform/db/roles.ts'
import { newWebhookSecret } from '../../backend/platform/secrets/tokens.ts'
import { runScript } from '../../backend/test/support/child-process.ts'
import { testDeps } from '../../backend/test/support/deps.ts'
import { type ExampleRuntime, startExampleRuntime } from '../../backend/test/support/example-runtime.ts'
import { type Seed, seedWorkspace } from '../../backend/test/support/factories.ts'
import { useHttpReceiver } from '../../backend/test/support/http-receiver.ts'
import { waitFor } from '../../backend/test/support/wait.ts'
import { codeBlocks } from '../support/docs.ts'
import { commandRunBy, commandsRunBy, withoutNpm } from '../support/documented-commands.ts'
import { findPostgresPrograms } from '../support/postgres-programs.ts'

// Follows docs/guides/backups.md for a point-in-time restore. PostgreSQL, Outdial, and an agent runtime are separate processes.
// After the restore, the runtime still knows which phones rang, although the database doesn't.
const page = 'docs/guides/backups.md'
const thisTest = 'test/journey/restore.test.ts'
const programs = findPostgresPrograms()
const signingKey = newWebhookSecret()
const secrets = {
  SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
  RUNTIME_SECRET: 'runtime-secret-of-at-least-thirty-two-characters',
  RUNTIME_SIGNING_KEY: signingKey,
}

const receiver = useHttpReceiver()
/** Functions that stop what the test started, the last one first. */
const closings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})
const onEnd = (close: () => Promise<unknown>) => void closings.unshift(close)

/** A folder with all of the test's files, and the user that runs PostgreSQL. */
interface Machine {
  account: Account
  folder: string
  port: number
}

/** Runs a command of the page as the user that runs PostgreSQL. */
async function runAsPostgres(
  { account, folder }: Machine,
  command: string,
  variables: Record<string, string> = {},
): Promise<void> {
  const environment = { ...postgresEnvironment(), ...variables }
  await promisify(execFile)('/bin/sh', ['-c', command.replaceAll('/mnt/backup', folder)], {
    ...account.ids,
    cwd: folder,
    env: { ...environment, PATH: `${programs}:${environment.PATH}` },
  })
}

async function prepareMachine(): Promise<Machine> {
  const account = findAccount(undefined, pino({ level: 'silent' }))
  const folder = await createTemporaryFolder('outdial-restore-', account, tmpdir())
  onEnd(() => rm(folder, { recursive: true, force: true }))
  return { account, folder, port: await findFreePort('127.0.0.1') }
}

const urlOf = ({ port }: Machine, user: string, database = '') =>
  `postgres://${user}@127.0.0.1:${port}/${database}`

/** Starts a server with the data in `cluster`. Resolves when the server accepts writes, which is after its recovery. */
async function startServer({ account, folder, port }: Machine, cluster: string) {
  const socketFolder = path.join(folder, 'sockets')
  const { stop } = await startPostmaster({
    postgres: path.join(programs ?? '', 'postgres'),
    account,
    cluster,
    socketFolder,
    temporaryFolder: undefined,
    settings: ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off'],
    onLine: () => {},
  })
  onEnd(() => stop())
  return { stop: () => stop() }
}

async function query<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

/** Runs each statement separately, because some can't run in a transaction. */
async function administer(machine: Machine, statements: string): Promise<void> {
  for (const statement of statements.split(';\n').filter((each) => each.trim() !== ''))
    await query(urlOf(machine, 'postgres', 'postgres'), statement.replaceAll('/mnt/backup', machine.folder))
}

/** Creates a server with a WAL archive as the page says, and an empty database. Returns its data folder. */
async function createCluster(machine: Machine) {
  const cluster = path.join(machine.folder, 'first')
  await runAsPostgres(
    machine,
    `initdb -D '${cluster}' --username=postgres --auth=trust --encoding=UTF8 --no-sync`,
  )
  const server = await startServer(machine, cluster)
  const archive = codeBlocks(page, 'sql').find((block) => block.includes('archive_mode')) ?? ''
  const [databaseRoles = ''] = codeBlocks('docs/guides/install.md', 'sql')
  await administer(machine, 'create role outdial login;\ncreate database outdial owner outdial;\n')
  await administer(machine, databaseRoles)
  await administer(machine, archive)
  await runAsPostgres(machine, 'mkdir wal')
  await server.stop()
  return { cluster, server: await startServer(machine, cluster) }
}

interface Outdial {
  /** Sends a request to the API, and returns the body of the response. */
  api: <Body>(method: 'GET' | 'POST', apiPath: string, body?: object) => Promise<Body>
  queue: (campaignId: number, phoneNumber: string) => Promise<Call>
  waitUntilCompleted: (callId: number) => Promise<Call>
  stop: () => Promise<void>
}

/** Starts an Outdial process. */
async function startProcess(environment: Record<string, string>) {
  const service = runScript('start', [], environment)
  const stop = async () => {
    service.process.kill('SIGTERM')
    await service.result
  }
  onEnd(stop)
  const [, url = ''] = /"url":"([^"]+)"/.exec(await service.waitForOutput(/Outdial is ready/)) ?? []
  return { url, stop }
}

async function startOutdial(environment: Record<string, string>, apiKey: () => string): Promise<Outdial> {
  const { url, stop } = await startProcess(environment)
  const api = async <Body>(method: 'GET' | 'POST', apiPath: string, body?: object): Promise<Body> => {
    const response = await fetch(`${url}/api/public/v1${apiPath}`, {
      method,
      headers: { authorization: `Bearer ${apiKey()}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${apiPath} returned ${response.status}: ${await response.text()}`)
    return (await response.json()) as Body
  }
  return {
    api,
    queue: async (campaignId, phoneNumber) => {
      const body = { phone_number: phoneNumber, campaign_id: campaignId }
      return (await api<ContactAdded>('POST', '/contacts/', body)).call
    },
    waitUntilCompleted: (callId) =>
      waitFor(
        async () => {
          const call = await api<Call>('GET', `/calls/${callId}/`)
          return call.status === 'completed' && call.summary !== null && call
        },
        () => {},
        60_000,
      ),
    stop,
  }
}

/** Creates a workspace with an API key, and campaigns with these names. */
async function seed(databaseUrl: string) {
  const db = connect({ url: databaseUrl, role: roles.service, max: 2 })
  const deps = testDeps(db)
  const workspace = await seedWorkspace(deps)
  const { key } = await createApiKey(deps, workspace.workspaceId, workspace.userId, 'Test')
  await db.destroy()
  return { workspace, key }
}

const createCampaign = async (outdial: Outdial, { agentId, phoneNumberId }: Seed, name: string) =>
  (
    await outdial.api<Campaign>('POST', '/campaigns/', {
      name,
      agent_id: agentId,
      phone_number_id: phoneNumberId,
      calling_hours: {
        days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
        start: '00:00',
        end: '24:00',
      },
    })
  ).id

async function findBaseBackup({ folder }: Machine): Promise<string> {
  const found = (await readdir(folder)).find((each) => each.startsWith('base-'))
  return path.join(folder, found ?? '')
}

/** Returns how often the runtime dialed for each of the calls. */
const countDials = ({ callLog }: ExampleRuntime, calls: readonly Call[]) =>
  calls.map(({ id }) => callLog.filter((line) => line.startsWith(`Call ${id},`)).length)

const name = 'restores the database to a point in time, and places only calls that were not placed before'
if (programs === undefined && process.env.CI !== 'true')
  it.skip(`${name} (SKIPPED: no PostgreSQL server with pg_basebackup)`, () => {})
else
  it(
    name,
    async () => {
      const machine = await prepareMachine()
      const runtime = await startExampleRuntime(signingKey)
      onEnd(() => runtime.stop())
      const first = await createCluster(machine)
      const databaseUrl = urlOf(machine, 'outdial', 'outdial')
      const environment = {
        ...secrets,
        DATABASE_URL: databaseUrl,
        PORT: String(await findFreePort('127.0.0.1')),
        TELEPHONY: 'http',
        RUNTIME_URL: runtime.url,
        SHUTDOWN_DELAY_SECONDS: '0',
        ALLOW_LOOPBACK_WEBHOOKS: 'true',
      }
      let apiKey = ''
      const outdial = await startOutdial({ ...environment, ROLE: 'api' }, () => apiKey)
      const startWorker = () => startProcess({ ...environment, ROLE: 'worker' })
      const { workspace, key } = await seed(databaseUrl)
      apiKey = key
      const admin = (command: string) =>
        promisify(execFile)('sh', ['-c', withoutNpm(command)], { env: { ...process.env, ...environment } })
      const setStatus = (verb: 'pause' | 'resume', campaignId: number) =>
        admin(`npm run admin -- ${verb}-campaign --workspace ${workspace.workspaceId} --id ${campaignId}`)
      await runAsPostgres(machine, commandRunBy(thisTest, page, /^pg_basebackup /), {
        BACKUP_URL: urlOf(machine, 'outdial_backup'),
      })

      // Before the restored moment, one call is completed, but its event isn't delivered. Two calls wait.
      receiver.respondWith(503)
      await outdial.api('POST', '/webhooks/subscribe', {
        target_url: receiver.url(),
        event: 'call.completed',
      })
      const firstWorker = await startWorker()
      const completed = await outdial.queue(workspace.campaignId, '+12025550123')
      await outdial.waitUntilCompleted(completed.id)
      await waitFor(async () => {
        const [delivery] = await query<{ attempts: number }>(
          urlOf(machine, 'postgres', 'outdial'),
          'select attempts from webhook_delivery',
        )
        return delivery && delivery.attempts > 0
      })
      await firstWorker.stop()
      const campaigns = {
        made: await createCampaign(outdial, workspace, 'Made after the moment'),
        notMade: await createCampaign(outdial, workspace, 'Not made yet'),
      }
      const made = await outdial.queue(campaigns.made, '+12025550124')
      const notMade = await outdial.queue(campaigns.notMade, '+12025550125')
      const calls = [completed, made, notMade]
      const [{ moment } = { moment: '' }] = await query<{ moment: string }>(
        databaseUrl,
        'select clock_timestamp()::text as moment',
      )

      // After the restored moment, one of the waiting calls is made. Then someone deletes everything.
      await setStatus('pause', campaigns.notMade)
      const secondWorker = await startWorker()
      await outdial.waitUntilCompleted(made.id)
      await query(urlOf(machine, 'postgres', 'outdial'), 'truncate contact cascade')
      expect(await outdial.api('GET', '/calls/')).toMatchObject({ results: [] })
      await secondWorker.stop()
      await outdial.stop()
      await first.server.stop()
      expect(countDials(runtime, calls)).toEqual([1, 1, 0])
      const [sent] = receiver.requests
      receiver.requests.length = 0
      receiver.respondWith(204)

      const cluster = path.join(machine.folder, 'restored')
      for (const command of commandsRunBy(thisTest, page).filter((each) =>
        /^(mkdir|tar|echo|touch) /.test(each),
      )) {
        const atMoment = command.replace(/(recovery_target_time = )'.*?'/, `$1'${moment}'`)
        await runAsPostgres(machine, atMoment, { PGDATA: cluster, BASE: await findBaseBackup(machine) })
      }
      await startServer(machine, cluster)
      await waitFor(async () => {
        const [state] = await query<{ recovering: boolean }>(
          databaseUrl,
          'select pg_is_in_recovery() as recovering',
        )
        return state?.recovering === false
      })
      const paused = await admin(commandRunBy(thisTest, page, /pause-all-campaigns/))
      for (const campaign of ['Made after the moment', 'Not made yet'])
        expect(paused.stdout).toMatch(new RegExp(`${campaign} +1\n`))
      // Makes the delivery's retry due now, instead of in seconds or minutes.
      await query(
        urlOf(machine, 'postgres', 'outdial'),
        'update webhook_delivery set next_attempt_at = now()',
      )
      const restored = await startOutdial(environment, () => apiKey)

      // The restored database has all three calls. The pending event is sent again, with the same ID.
      const { results } = CallList.parse(await restored.api('GET', '/calls/'))
      expect(results.map(({ id, status }) => ({ id, status }))).toEqual([
        { id: notMade.id, status: 'queued' },
        { id: made.id, status: 'queued' },
        { id: completed.id, status: 'completed' },
      ])
      await waitFor(async () => receiver.requests.length > 0)
      const [repeated] = receiver.requests
      expect(repeated?.headers['webhook-id']).toBe(sent?.headers['webhook-id'])
      expect(repeated?.body).toBe(sent?.body)

      // The call of a new campaign is made, while the earlier calls wait.
      const newCampaign = await createCampaign(restored, workspace, 'After the restore')
      const added = await restored.queue(newCampaign, '+12025550126')
      await restored.waitUntilCompleted(added.id)
      expect(countDials(runtime, calls)).toEqual([1, 1, 0])

      // As a review would, cancels the call that was made after the restored moment. Only the other call rings.
      await restored.api('POST', '/calls/cancel', { phone_number: '+12025550124' })
      await setStatus('resume', campaigns.made)
      await setStatus('resume', campaigns.notMade)
      await restored.waitUntilCompleted(notMade.id)
      expect(countDials(runtime, calls)).toEqual([1, 1, 1])
      await restored.stop()
    },
    240_000,
  )

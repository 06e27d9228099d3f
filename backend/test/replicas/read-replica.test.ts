import { afterEach, beforeAll, expect, it, jest } from '@jest/globals'
import { sql } from 'kysely'
import { type Browser, createBrowser } from '../../../support/browser.ts'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { connect } from '../../platform/db/connect.ts'
import { roles } from '../../platform/db/roles.ts'
import type { Db } from '../../platform/db/schema.ts'
import { createSecretBox } from '../../platform/secrets/secret-box.ts'
import { useClosers } from '../support/closers.ts'
import { signIn } from '../support/dashboard.ts'
import { testDeps } from '../support/deps.ts'
import { type Seed, seedUser, seedWorkspace } from '../support/factories.ts'
import { findFixedPort } from '../support/fixed-port.ts'
import { secret } from '../support/mcp.ts'
import { createServiceProcess, isReady, type ServiceProcess } from '../support/service-process.ts'
import { startStreamingServers, type StreamingServers } from '../support/streaming-replica.ts'
import { waitFor } from '../support/wait.ts'

// Starting a service process and two PostgreSQL servers can take minutes.
jest.setTimeout(300_000)
const timeoutMs = 60_000
const secretKey = 'test-key-of-at-least-thirty-two-characters'
const lists = [
  '/overview',
  '/calls',
  '/campaigns',
  '/contacts',
  '/integrations/webhooks',
  '/integrations/callbacks',
  '/settings/api-log',
  '/calls/export',
  '/contacts/export',
]

const closeLater = useClosers()
let servers: StreamingServers
let service: ServiceProcess
let workspace: Workspace
/** A connection to the primary server as its owner, not in the role of the service. */
let administrator: Db

async function startService(databaseUrl: string, readUrl: string): Promise<ServiceProcess> {
  const process = createServiceProcess('api', await findFixedPort(), {
    DATABASE_URL: databaseUrl,
    DATABASE_READ_URL: readUrl,
    SECRET_KEY: secretKey,
    RUNTIME_SECRET: secret,
  })
  closeLater(() => process.kill())
  await process.start()
  return process
}

interface Workspace {
  db: Db
  seed: Seed
  key: string
  /** The browser of a user who has just signed in. */
  browser: Browser
}

async function createWorkspace({ url }: ServiceProcess, databaseUrl: string): Promise<Workspace> {
  const db = connect({ url: databaseUrl, role: roles.service })
  closeLater(() => db.destroy())
  const seed = await seedWorkspace({ db, secretBox: createSecretBox([secretKey]) })
  const { key } = await createApiKey(testDeps(db), seed.workspaceId, seed.userId, 'Test')
  const { userId, email } = await seedUser({ db })
  await db
    .insertInto('membership')
    .values({ workspace_id: seed.workspaceId, user_id: userId, role: 'owner' })
    .execute()
  return { db, seed, key, browser: (await signIn({ url }, email)).browser }
}

beforeAll(async () => {
  servers = await startStreamingServers()
  closeLater(() => servers.close())
  administrator = connect({ url: servers.primaryUrl, max: 2 })
  closeLater(() => administrator.destroy())
  service = await startService(servers.primaryUrl, servers.replicaUrl)
  workspace = await createWorkspace(service, servers.primaryUrl)
})
afterEach(async () => {
  await servers.resume()
})

/** Returns a browser that's signed in and hasn't recently sent a form, so its pages can use the replica. */
function readingBrowser(): Browser {
  const cookies = workspace.browser.cookies().map((cookie) => cookie.split('=') as [string, string])
  return createBrowser(Object.fromEntries(cookies.filter(([name]) => name !== 'outdial_changed')))
}

const open = async (browser: Browser, path: string) => {
  const { page } = await browser.open(`${service.url}/w/${workspace.seed.workspaceId}${path}`)
  expect([path, page.status]).toEqual([path, 200])
  return page
}

const api = (path: string, body?: object) =>
  fetch(`${service.url}/api/public/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${workspace.key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

const addContact = async (phone_number: string, first_name: string) => {
  const added = await api('/contacts/', { phone_number, first_name, campaign_id: workspace.seed.campaignId })
  expect(added.status).toBe(201)
}

const readMetric = async (name: string, { url } = service) => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return new RegExp(`^outdial_read_replica_${name} (\\S+)$`, 'm').exec(text)?.[1]
}

const waitForUse = (used: boolean, of = service) =>
  waitFor(
    async () => (await readMetric('up', of)) === (used ? '1' : '0'),
    () => {},
    timeoutMs,
  )

/** Returns the statements that the replica got since `start`, without those that check the replica or set up connections. */
const statementsSince = (start: number) =>
  servers.replicaStatements
    .slice(start)
    .filter((line) => /\bfrom\b/.test(line) && !/from "replica"/.test(line))

/** Opens a list, and waits until the replica has logged its statements. */
const openFromReplica = async (path: string) => {
  const before = servers.replicaStatements.length
  const page = await open(readingBrowser(), path)
  await waitFor(async () => statementsSince(before).length > 0)
  return page
}

const countWarnings = () => service.logOutput().split("read replica can't be used").length - 1

it('the replica serves lists and exports to browsers', async () => {
  await waitForUse(true)
  for (const path of lists) await openFromReplica(path)
  expect(Number(await readMetric('lag_seconds'))).toBeLessThan(10)
})

it("the replica isn't used for the API, pages of a single object, or forms", async () => {
  await waitForUse(true)
  await addContact('+12025550111', 'Alex')
  const call = await workspace.db.selectFrom('call').select(['id', 'contact_id']).executeTakeFirstOrThrow()
  const before = servers.replicaStatements.length
  for (const path of ['/calls/', '/agents/', '/campaigns/', `/calls/${call.id}/`])
    expect((await api(path)).status).toBe(200)
  const browser = readingBrowser()
  for (const path of [
    `/calls/${call.id}`,
    `/contacts/${call.contact_id}`,
    `/campaigns/${workspace.seed.campaignId}`,
    '/agents',
    '/contacts/new',
    '/settings',
  ])
    await open(browser, path)
  await openFromReplica('/settings/api-log')
  expect(statementsSince(before).filter((line) => !line.includes('api_request'))).toEqual([])
})

it("pages show users what they've just saved, even if it hasn't reached the replica yet", async () => {
  await waitForUse(true)
  const before = servers.replicaStatements.length
  const form = await open(workspace.browser, '/contacts/new')
  const fields = { phone_number: '+12025550112', first_name: 'Blake' }
  const { page: saved } = await workspace.browser.press(form, 'Add contact', fields)
  expect(saved.text).toContain('Contact added.')
  for (const path of lists) await open(workspace.browser, path)
  await openFromReplica('/settings/api-log')
  // The replica got only these statements, so the other lists were read from the primary database.
  expect(statementsSince(before).filter((line) => !line.includes('api_request'))).toEqual([])

  await servers.pause()
  const again = { phone_number: '+12025550113', first_name: 'Casey' }
  await workspace.browser.press(await open(workspace.browser, '/contacts/new'), 'Add contact', again)
  expect((await open(workspace.browser, '/contacts')).text).toContain('Casey')
})

it("the replica isn't used while it's more than 10 seconds behind, and only one warning is logged", async () => {
  await waitForUse(true)
  const warnings = countWarnings()
  await servers.pause()
  await addContact('+12025550114', 'Drew')
  const browser = readingBrowser()
  await waitFor(
    async () => (await open(browser, '/contacts')).text.includes('Drew'),
    () => {},
    timeoutMs,
  )
  await waitForUse(false)
  for (const path of lists) await open(browser, path)
  expect(countWarnings()).toBe(warnings + 1)
  expect(await isReady(service.url)).toBe(true)
  await servers.resume()
  await waitForUse(true)
  expect((await openFromReplica('/contacts')).text).toContain('Drew')
})

it("the replica isn't used while it's down, and is used again afterward without a restart of Outdial", async () => {
  await waitForUse(true)
  const warnings = countWarnings()
  await servers.stopReplica()
  const browser = readingBrowser()
  for (const path of lists) await open(browser, path)
  await waitForUse(false)
  for (const path of lists) await open(browser, path)
  expect(await isReady(service.url)).toBe(true)
  expect(countWarnings()).toBe(warnings + 1)
  await servers.startReplica()
  await waitForUse(true)
  await openFromReplica('/calls')
})

it("a process starts even if the replica doesn't have the tables yet, and uses the replica once they've arrived", async () => {
  await servers.pause()
  await sql`create database another`.execute(administrator)
  const toAnother = (url: string) => url.replace(/postgres$/, 'another')
  const another = await startService(toAnother(servers.primaryUrl), toAnother(servers.replicaUrl))
  const other = await createWorkspace(another, toAnother(servers.primaryUrl))
  for (const path of lists) {
    const { page } = await other.browser.open(`${another.url}/w/${other.seed.workspaceId}${path}`)
    expect([path, page.status]).toEqual([path, 200])
  }
  expect(await readMetric('up', another)).not.toBe('1')
  await servers.resume()
  await waitForUse(true, another)
})

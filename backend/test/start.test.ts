import { afterAll, beforeAll, expect, it, jest } from '@jest/globals'
import { CallList } from '@outdial/contract'
import { createApiKey } from '../accounts/identity/api-keys.ts'
import { createSecretBox } from '../platform/secrets/secret-box.ts'
import { type Service, startService } from '../start.ts'
import { createDatabaseProxy, type DatabaseProxy } from './support/database-proxy.ts'
import { testDeps } from './support/deps.ts'
import { seedWorkspace } from './support/factories.ts'
import { useTestDatabase } from './support/world.ts'

jest.setTimeout(60_000)
const settings = {
  SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
  LOG_LEVEL: 'silent',
  PORT: '0',
  SIMULATION_SPEED: '10000',
  RUNTIME_SECRET: 'the-runtime-secret-of-these-tests',
}
const pause = () => new Promise((resolve) => setTimeout(resolve, 20))

const database = useTestDatabase()
let proxy: DatabaseProxy
beforeAll(async () => {
  proxy = await createDatabaseProxy(database.url)
})
afterAll(async () => {
  await proxy.disconnect()
})

const statusOf = async ({ config }: Service, path: string) =>
  (await fetch(`${config.publicUrl}${path}`)).status

it('returns 503 from /readyz while the database is unavailable, and recovers once the database is back', async () => {
  const service = await startService({ ...settings, DATABASE_URL: proxy.url })
  expect(service.demo).toBeUndefined()
  expect(await statusOf(service, '/readyz')).toBe(200)
  await proxy.disconnect()
  expect(await statusOf(service, '/readyz')).toBe(503)
  expect(await statusOf(service, '/healthz')).toBe(200)
  await proxy.reconnect()
  while ((await statusOf(service, '/readyz')) !== 200) await pause()

  // The service's workers have also recovered.
  const secretBox = createSecretBox([settings.SECRET_KEY])
  const { workspaceId, userId, campaignId } = await seedWorkspace({ db: database.db, secretBox })
  const { key } = await createApiKey(testDeps(database.db), workspaceId, userId, 'Test')
  const api = (path: string, body?: unknown) =>
    fetch(`${service.config.publicUrl}/api/public/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  expect((await api('/contacts/', { phone_number: '+12025550100', campaign_id: campaignId })).status).toBe(
    201,
  )
  while (CallList.parse(await (await api('/calls/')).json()).results[0]?.status !== 'completed') await pause()
  await service.stop()
})

it.each([
  ['checking the version of the schema', "to_regclass('schema_migration')"],
  ['migrating', 'pg_advisory'],
  ['checking SECRET_KEY', 'secret-key-check'],
  ['loading the keys of the OAuth server', 'oauth_signing_keys'],
])('starts even if the database restarts while Outdial is %s', async (_step, sql) => {
  const restarting = await createDatabaseProxy(database.url)
  const restarted = restarting.disconnectAt(sql).then(() => restarting.reconnect())
  const service = await startService({ ...settings, DATABASE_URL: restarting.url })
  await restarted
  expect(await statusOf(service, '/readyz')).toBe(200)
  await service.stop()
  await restarting.disconnect()
})

it("if the database goes away during startup and doesn't return in time, fails with a one-sentence error", async () => {
  const gone = await createDatabaseProxy(database.url)
  void gone.disconnectAt('oauth_signing_keys')
  await expect(
    startService({ ...settings, DATABASE_URL: gone.url }, { databaseTimeoutMs: 1_000 }),
  ).rejects.toThrow(/^The database in DATABASE_URL \(127\.0\.0\.1:\d+\/\w+\) can't be used: .+\.$/)
})

it("fails to start if the database isn't available", async () => {
  const gone = await createDatabaseProxy(database.url, { isOpen: false })
  await expect(
    startService({ ...settings, DATABASE_URL: gone.url }, { databaseTimeoutMs: 0 }),
  ).rejects.toThrow(
    /^The database in DATABASE_URL \(127\.0\.0\.1:\d+\/\w+\) can't be used: connect ECONNREFUSED/,
  )
})

it("fails to start if SECRET_KEY can't decrypt the database's secrets", async () => {
  await expect(
    startService({
      ...settings,
      DATABASE_URL: database.url,
      SECRET_KEY: 'another-key-of-at-least-thirty-two-characters',
    }),
  ).rejects.toThrow("SECRET_KEY can't decrypt the secrets in this database")
})

it("with ROLE=worker, doesn't listen on a port", async () => {
  const service = await startService({ ...settings, DATABASE_URL: database.url, ROLE: 'worker' })
  await expect(fetch(`${service.config.publicUrl}/healthz`)).rejects.toThrow('fetch failed')
  await service.stop()
})

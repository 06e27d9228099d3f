import { beforeAll, expect, it } from '@jest/globals'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { createLastUsedRecorder } from '../../api/last-used.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { waitFor } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()
let deps: TestDeps
beforeAll(async () => {
  deps = testDeps(database.db)
})

const findLastUsed = async (apiKeyId: number): Promise<string | undefined> => {
  const row = await database.db
    .selectFrom('api_key')
    .select('last_used_at')
    .where('id', '=', apiKeyId)
    .executeTakeFirstOrThrow()
  return row.last_used_at?.toISOString()
}

it("records a connection's use at most once a minute, or sooner if the connection is no longer among the most recent ones", async () => {
  const { workspaceId, userId } = await seedWorkspace(deps)
  const createCaller = async (name: string) => {
    const { id } = await createApiKey(deps, workspaceId, userId, name)
    return { workspaceId, userId, apiKeyId: id, clientId: null, scopes: [] }
  }
  const forgotten = await createCaller('Forgotten')
  const others = [await createCaller('Second'), await createCaller('Third')]
  const recordLastUsed = createLastUsedRecorder(deps, { maxConnections: 2 })
  const recordAndWait = async (caller: typeof forgotten) => {
    recordLastUsed(caller)
    const now = deps.clock.now().toISOString()
    await waitFor(async () => (await findLastUsed(caller.apiKeyId)) === now)
  }

  const firstUse = deps.clock.now().toISOString()
  for (const caller of [forgotten, ...others]) await recordAndWait(caller)
  deps.clock.advance(1_000)
  for (const caller of others) recordLastUsed(caller)
  await recordAndWait(forgotten)
  for (const { apiKeyId } of others) expect(await findLastUsed(apiKeyId)).toBe(firstUse)
})

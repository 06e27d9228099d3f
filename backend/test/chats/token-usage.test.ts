import { expect, it } from '@jest/globals'
import pino from 'pino'
import { addTokens, findTokenUse, requireTokensLeft } from '../../calling/chats/token-usage.ts'
import { dayMs, hourMs } from '../../platform/core/durations.ts'
import { startExpirationJob } from '../../privacy/delete-expired.ts'
import { modelConfig } from '../support/chats.ts'
import { testDeps } from '../support/deps.ts'
import { getError, waitUntil } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const lines: string[] = []
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
const world = useWorld(() => ({ config: modelConfig({ LLM_TOKENS_PER_DAY: '1000' }), log }))

const use = (inputTokens: number, outputTokens = 0, deps = world.deps) =>
  addTokens(deps, world.seed.workspaceId, { inputTokens, outputTokens, isEstimated: false })

const check = () => getError(requireTokensLeft(world.deps, world.seed.workspaceId))

it("once a workspace has used the day's tokens, rejects new chats until midnight UTC", async () => {
  await use(900, 99)
  expect(await check()).toBeUndefined()
  await use(0, 1)
  const error = await check()
  expect(error).toMatchObject({
    code: 'rate_limited',
    message: "This workspace has used today's 1,000 tokens. You can start a new chat at 8:00 PM.",
  })
  // The test's clock starts at 15:00 UTC. The tokens of the next day are counted from midnight UTC.
  world.deps.clock.advance(9 * hourMs - 1)
  expect(await check()).toMatchObject({ code: 'rate_limited' })
  world.deps.clock.advance(1)
  expect(await check()).toBeUndefined()
  expect(await findTokenUse(world.deps, world.seed.workspaceId)).toMatchObject({ tokens: 0, limit: 1_000 })
})

it('LLM_TOKENS_PER_DAY=0 lets a workspace use any number of tokens', async () => {
  const deps = { ...world.deps, config: modelConfig({ LLM_TOKENS_PER_DAY: '0' }) }
  await use(10_000_000, 0, deps)
  await requireTokensLeft(deps, world.seed.workspaceId)
  expect(await findTokenUse(deps, world.seed.workspaceId)).toBeUndefined()
})

it('logs once per day and workspace that 80% of the tokens are used, even if several processes count the tokens', async () => {
  lines.length = 0
  const other = testDeps(world.database.db, { config: world.deps.config, log, clock: world.deps.clock })
  await use(700)
  expect(lines).toEqual([])
  await Promise.all(Array.from({ length: 20 }, (_, index) => use(20, 10, index % 2 ? other : world.deps)))
  expect(lines).toHaveLength(1)
  const { workspaceId } = world.seed
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ workspace_id: workspaceId, limit: 1_000 })
  world.deps.clock.advance(dayMs)
  await use(799)
  expect(lines).toHaveLength(1)
  await use(1)
  expect(lines).toHaveLength(2)
})

it('a metric counts the input tokens and output tokens that a process uses', async () => {
  await use(30, 4)
  const { values } = await world.deps.metrics.modelTokens.get()
  expect(values.map(({ labels, value }) => [labels.direction, value])).toEqual([
    ['input', 30],
    ['output', 4],
  ])
})

it('deletes token counts that are more than 90 days old', async () => {
  await use(1)
  world.deps.clock.advance(90 * dayMs)
  const days = async () => {
    const job = startExpirationJob(world.deps)
    await waitUntil(() => world.deps.clock.waiting > 0)
    await job.stop()
    return world.deps.db
      .selectFrom('model_usage')
      .select('tokens')
      .where('workspace_id', '=', world.seed.workspaceId)
      .execute()
  }
  expect(await days()).toEqual([{ tokens: 1 }])
  world.deps.clock.advance(dayMs)
  expect(await days()).toEqual([])
})

import { expect, it } from '@jest/globals'
import { addTokens } from '../../../calling/chats/token-usage.ts'
import { seedSignedInMember, seedSignedInOwner } from '../../support/dashboard.ts'
import { startService, useServiceWorld } from '../../support/service.ts'

const settings = {
  ...{ LLM_URL: 'http://127.0.0.1:9/v1', LLM_MODELS: 'outdial-fake', LLM_TOKENS_PER_DAY: '1000' },
}
const world = useServiceWorld((db) => startService(db, undefined, settings))

it("tells owners, but not members, that chats have used 80% or all of the day's tokens, and when new chats can start", async () => {
  const owner = await seedSignedInOwner(world.service)
  const { workspaceId } = owner.seed
  const member = await seedSignedInMember(world.service, workspaceId, 'member')
  const use = (inputTokens: number) =>
    addTokens(world.service.deps, workspaceId, { inputTokens, outputTokens: 0, isEstimated: false })
  const read = async (user: Pick<typeof owner, 'open'>) => (await user.open('/overview')).text

  await use(799)
  expect(await read(owner)).not.toContain('tokens')
  await use(1)
  expect(await read(owner)).toContain(
    "Chats with agents have used 80% of today's 1,000 tokens. When all are used, no new chat can start until the next day begins at 8:00 PM.",
  )
  expect(await read(member)).not.toContain('tokens')
  await use(300)
  expect(await read(owner)).toContain(
    "Chats with agents have used today's 1,000 tokens. New chats can start at 8:00 PM.",
  )
})

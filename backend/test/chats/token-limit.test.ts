import { expect, it } from '@jest/globals'
import { startChat } from '../../calling/chats/start-chat.ts'
import { findTokenUse } from '../../calling/chats/token-usage.ts'
import { saveAgent } from '../../queue/agents/agents.ts'
import { sampleValues, useChatWorld, wordsOf } from '../support/chat-world.ts'
import { modelConfig } from '../support/chats.ts'
import { getError } from '../support/wait.ts'

const world = useChatWorld()

it("once a workspace has used the day's tokens, starts no new chat, but continues a chat in progress", async () => {
  const instructions = 'Ask: Do you own a house? Ask: Is it yellow?'
  await saveAgent(world.deps, world.seed.workspaceId, world.seed.agentId, { name: 'Ava', instructions }, null)
  const { llm } = modelConfig({ LLM_TOKENS_PER_DAY: '10' })
  const deps = { ...world.deps, config: { ...world.deps.config, llm } }
  const start = () => startChat(deps, world.seed, world.seed.agentId, { sampleValues })
  const { id } = await start()
  await world.take(id, 'Hi', { deps })
  const { input_tokens: input, output_tokens: output } = await world.db
    .selectFrom('conversation')
    .select(['input_tokens', 'output_tokens'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(await findTokenUse(deps, world.seed.workspaceId)).toMatchObject({ tokens: input + output })
  expect(await getError(start())).toMatchObject({
    code: 'rate_limited',
    message: "This workspace has used today's 10 tokens. You can start a new chat at 8:00 PM.",
  })
  expect(wordsOf(await world.take(id, 'Hello?', { deps }))).not.toBe('')
})

import { expect, it } from '@jest/globals'
import { startChatAnalysis } from '../../calling/chats/analysis-job.ts'
import { startIdleChatEnd } from '../../calling/chats/idle-chats.ts'
import { startDialer } from '../../calling/dialer/dialer.ts'
import { startSweeper } from '../../calling/dialer/sweeper.ts'
import { advanceUntilCompleted, seedCall } from '../support/calls.ts'
import { modelConfig } from '../support/chats.ts'
import { freshNumber } from '../support/factories.ts'
import { useHttpRuntimeWorld } from '../support/http-runtime.ts'
import { useLanguageModels } from '../support/language-model.ts'

// Outdial doesn't hold the conversations of calls itself, so calls must not use tokens.

const models = useLanguageModels()
const world = useHttpRuntimeWorld()

async function startWithModel() {
  const deps = { ...world.deps, model: await models.open({ clock: world.deps.clock }) }
  world.workers.push(startChatAnalysis(deps), startIdleChatEnd(deps), startSweeper(deps))
  return deps
}

it('sends no request to a language model for a call through an agent runtime, whether or not the runtime analyzed the call', async () => {
  const deps = await startWithModel()
  for (const more of [undefined, {}]) {
    const { id, attemptId } = await world.startRinging({}, deps)
    await world.reportToBoth(attemptId, world.answered(1), world.ended(2, more))
    expect(await advanceUntilCompleted(deps, world.seed, id, 1_000)).toMatchObject({ outcome: 'answered' })
  }
  expect(models.first.requests).toEqual([])
})

it('sends no request to a language model for a simulated call', async () => {
  const deps = { ...(await startWithModel()), config: modelConfig({ TELEPHONY: 'simulated' }) }
  const { id } = await seedCall(deps, world.seed, '+12025550100')
  world.workers.push(startDialer(deps))
  expect(await advanceUntilCompleted(deps, world.seed, id, 1_000)).toMatchObject({ outcome: 'answered' })
  const { id: next } = await seedCall(deps, world.seed, freshNumber())
  await advanceUntilCompleted(deps, world.seed, next, 1_000)
  expect(models.first.requests).toEqual([])
})

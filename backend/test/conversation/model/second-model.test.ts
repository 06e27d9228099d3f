import { expect, it } from '@jest/globals'
import {
  collect,
  endOf,
  recordingTool,
  secondKey,
  spokenText,
  turnRequest,
  useLanguageModels,
} from '../../support/language-model.ts'
import { waitUntil } from '../../support/wait.ts'

const models = useLanguageModels()

it.each(['429', '500', 'empty'])('asks the second model if the first one fails with %s', async (behavior) => {
  models.first.behaviors.push(behavior)
  const client = await models.open()
  const end = endOf(await collect(client.streamTurn(turnRequest('Hi'))))
  expect(end).toMatchObject({ type: 'finish', text: expect.stringMatching(/^Hello, /) })
  expect(models.second.requests[0]?.headers.authorization).toBe(`Bearer ${secondKey}`)
})

it('after failed checks of the first model, a conversation still asks the first model', async () => {
  models.first.behaviors.push('500')
  const client = await models.open({ settings: { fallback: undefined } })
  const rejected = "The language model's server rejected a request."
  for (let count = 0; count < 3; count += 1)
    expect(await client.check(undefined)).toMatchObject({ problem: rejected })
  models.first.behaviors.length = 0
  const withSecond = await models.open()
  for (let count = 0; count < 3; count += 1)
    expect(await withSecond.check(undefined)).toMatchObject({ problem: null })
  const checks = models.first.requests.length
  await collect(withSecond.streamTurn(turnRequest('Hi')))
  expect(models.first.requests).toHaveLength(checks + 1)
})

it("if the first model's first word is late, asks the second model", async () => {
  models.first.behaviors.push('silent')
  const client = await models.open()
  const turn = collect(client.streamTurn(turnRequest('Hi')))
  await waitUntil(() => models.first.requests.length === 1)
  models.clock.advance(4_000)
  expect(endOf(await turn)).toMatchObject({ type: 'finish', text: expect.stringMatching(/^Hello, /) })
})

it("if the first model's answer breaks off, gives its beginning to the second model, and joins both parts in one message", async () => {
  models.first.behaviors.push('cut')
  const client = await models.open()
  const parts = await collect(client.streamTurn(turnRequest('Hi')))
  const text = 'Hello, thank you I see. Do you own a house?'
  expect(spokenText(parts)).toBe(text)
  expect(models.second.requests[0]?.body.messages.slice(2)).toEqual([
    { role: 'assistant', content: 'Hello, thank you ' },
    { role: 'user', content: expect.stringMatching(/^\[Your answer broke off/) },
  ])
  expect(endOf(parts)).toMatchObject({
    type: 'finish',
    messages: [{ role: 'assistant', content: [{ type: 'text', text }] }],
    usage: { isEstimated: true },
  })
})

it('after the first model fails, stays with the second model for the rest of the turn, without repeating a tool call', async () => {
  models.first.behaviors.push('500')
  const client = await models.open()
  const { tool, calls } = recordingTool('knowledge_search')
  await collect(client.streamTurn(turnRequest('What does it cost?', { tools: [tool] })))
  expect(calls).toHaveLength(1)
  expect(models.first.requests).toHaveLength(1)
  expect(models.second.requests).toHaveLength(2)
})

it("if both models fail, the turn ends with the second model's failure and with what was said before", async () => {
  models.first.behaviors.push('cut')
  models.second.behaviors.push('500')
  const client = await models.open()
  const end = endOf(await collect(client.streamTurn(turnRequest('Hi'))))
  expect(end).toMatchObject({
    ...{ type: 'failure', failure: { kind: 'rejected', status: 500 }, text: 'Hello, thank you ' },
    messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Hello, thank you ' }] }],
  })
})

it('after three failures of the first model in a row, sends requests to the second model for a minute', async () => {
  models.first.behaviors.push('500')
  const client = await models.open()
  const speak = () => collect(client.streamTurn(turnRequest('Hi')))
  for (let turn = 0; turn < 4; turn += 1) await speak()
  expect(models.first.requests).toHaveLength(3)
  models.clock.advance(59_999)
  await speak()
  expect(models.first.requests).toHaveLength(3)

  models.clock.advance(1)
  await speak()
  await speak()
  expect(models.first.requests).toHaveLength(4)

  models.first.behaviors.length = 0
  models.clock.advance(60_000)
  for (let turn = 0; turn < 2; turn += 1) await speak()
  expect(models.first.requests).toHaveLength(6)
})

it("restarts the count of the first model's failures in a row after an answer from that model", async () => {
  const client = await models.open()
  for (const behavior of ['500', '500', 'slow', '500', '500', 'slow']) {
    models.first.behaviors.splice(0, 1, behavior)
    await collect(client.streamTurn(turnRequest('Hi', { maxOutputTokens: 1 })))
  }
  expect(models.first.requests).toHaveLength(6)
})

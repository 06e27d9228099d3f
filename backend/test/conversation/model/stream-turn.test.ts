import { afterEach, beforeEach, expect, it } from '@jest/globals'
import {
  collect,
  endOf,
  firstKey,
  recordingTool,
  secondKey,
  spokenText,
  turnRequest,
  useLanguageModels,
} from '../../support/language-model.ts'
import { waitUntil } from '../../support/wait.ts'

const models = useLanguageModels()
const greeting = 'Hello, thank you for taking the time. Do you own a house?'

/** Everything that the process writes, including warnings. It must not contain the contact's words. */
const written: string[] = []
const streams = [process.stdout, process.stderr]
const writers = streams.map((stream) => stream.write.bind(stream))
const addWarning = (warning: Error) => written.push(`warning: ${warning.message}`)

beforeEach(() => {
  written.length = 0
  process.on('warning', addWarning)
  for (const stream of streams) {
    stream.write = (chunk: Uint8Array | string) => {
      written.push(chunk.toString())
      return true
    }
  }
})
afterEach(() => {
  process.off('warning', addWarning)
  for (const [index, writer] of writers.entries()) Object.assign(streams[index] ?? {}, { write: writer })
})

it("yields a turn's words as they arrive, and ends with the turn's messages and token counts", async () => {
  const client = await models.open()
  const parts = await collect(client.streamTurn(turnRequest('Hi')))
  expect(parts.filter(({ type }) => type === 'text').length).toBeGreaterThan(5)
  expect(spokenText(parts)).toBe(greeting)
  expect(endOf(parts)).toEqual({
    type: 'finish',
    model: 'outdial-fake',
    ...{ isTooLong: false, isFiltered: false, skippedCalls: 0 },
    text: greeting,
    messages: [{ role: 'assistant', content: [{ type: 'text', text: greeting }] }],
    usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number), isEstimated: false },
    isTruncated: false,
  })
  const [request] = models.first.requests
  expect(request?.headers.authorization).toBe(`Bearer ${firstKey}`)
  expect(request?.body).toMatchObject({
    max_tokens: 400,
    stream: true,
    stream_options: { include_usage: true },
  })
})

it('sends the instructions as the only system message', async () => {
  const client = await models.open()
  await collect(client.streamTurn(turnRequest('Hi')))
  expect(models.first.requests[0]?.body.messages).toEqual([
    { role: 'system', content: 'Be polite. Ask: Do you own a house?' },
    { role: 'user', content: 'Hi' },
  ])
})

it('if the requested model was removed from the list, uses the first model of the list', async () => {
  const client = await models.open({ settings: { models: ['outdial-fake', 'outdial-fake:slow'] } })
  expect(client.models).toEqual(['outdial-fake', 'outdial-fake:slow'])
  await collect(client.streamTurn(turnRequest('Hi', { model: 'removed' })))
  await collect(client.streamTurn(turnRequest('Hi', { model: 'outdial-fake:slow' })))
  expect(models.first.requests.map(({ body }) => body.model)).toEqual(['outdial-fake', 'outdial-fake:slow'])
})

it("if the server hasn't even sent headers when the first word is due, aborts the request and fails the turn", async () => {
  models.first.behaviors.push('silent')
  const client = await models.open({ settings: { fallback: undefined } })
  const turn = collect(client.streamTurn(turnRequest('Hi')))
  await waitUntil(() => models.first.requests.length === 1)
  models.clock.advance(3_999)
  expect(models.first.requests[0]?.isOver).toBe(false)
  models.clock.advance(1)
  expect(endOf(await turn)).toMatchObject({ type: 'failure', failure: { kind: 'no_first_word' }, text: '' })
  await waitUntil(() => models.first.requests[0]?.isAborted === true)
  expect(models.log()).toContain('The language model said nothing, or not in time.')
})

it('if an answer stalls after its beginning, aborts the request and ends with the failure `cut`', async () => {
  models.first.behaviors.push('stalled')
  const client = await models.open({ settings: { fallback: undefined } })
  const turn = client.streamTurn(turnRequest('Hi'))
  const parts = []
  for (let count = 0; count < 3; count += 1) parts.push((await turn.next()).value)
  const last = turn.next()
  // Two waits of 10 seconds are needed. During the first one, the test still took text, so that wait doesn't count as a pause.
  await waitUntil(() => {
    models.clock.advance(10_000)
    return models.first.requests[0]?.isAborted === true
  })
  expect((await last).value).toMatchObject({ failure: { kind: 'cut' }, text: 'Hello, thank you ' })
})

it.each([
  ['429', { kind: 'rejected', status: 429 }, ''],
  ['500', { kind: 'rejected', status: 500 }, ''],
  ['cut', { kind: 'cut' }, 'Hello, thank you '],
  ['ends-early', { kind: 'cut' }, 'Hello, thank you '],
  ['malformed', { kind: 'malformed' }, 'Hello, thank you '],
  ['empty', { kind: 'no_first_word' }, ''],
])(
  'if the server shows the behavior %s, ends with the matching failure after one request',
  async (behavior, failure, text) => {
    models.first.behaviors.push(behavior)
    const client = await models.open({ settings: { fallback: undefined } })
    const parts = await collect(client.streamTurn(turnRequest('Hi')))
    expect(endOf(parts)).toMatchObject({ type: 'failure', failure, text })
    expect(spokenText(parts)).toBe(text)
    expect(models.first.requests).toHaveLength(1)
  },
)

it('if no server listens at the address, ends with the failure `unreachable`', async () => {
  const client = await models.open({ settings: { fallback: undefined, url: 'http://127.0.0.1:1/v1' } })
  const end = endOf(await collect(client.streamTurn(turnRequest('Hi'))))
  expect(end).toMatchObject({ type: 'failure', failure: { kind: 'unreachable' }, usage: { inputTokens: 0 } })
})

it('writes no phone numbers, prompts, or keys to the log, stdout, or stderr, and causes no warnings', async () => {
  const number = '+12025550123'
  const client = await models.open()
  const { tool } = recordingTool('contact_note')
  for (const behaviors of [
    ['500'],
    ['cut'],
    ['malformed'],
    ['429'],
    ['unknown-tool'],
    ['broken-arguments'],
    [],
  ]) {
    models.first.behaviors.splice(0, Infinity, ...behaviors)
    models.second.behaviors.splice(0, Infinity, ...behaviors)
    const request = turnRequest(`My number is ${number}`, { instructions: 'Secret prompt', tools: [tool] })
    await collect(client.streamTurn(request))
  }
  const all = [...written, models.log()].join('\n')
  expect(models.log()).toContain('"failure":"rejected"')
  for (const secret of [number, 'Secret prompt', firstKey, secondKey]) expect(all).not.toContain(secret)
  expect(written.filter((line) => line.startsWith('warning:') || line.includes('AI SDK'))).toEqual([])
})

it('leaves out `stream_options` once a server has rejected them', async () => {
  models.first.behaviors.push('rejects-usage-option')
  const client = await models.open({ settings: { fallback: undefined } })
  for (let turn = 0; turn < 2; turn += 1) {
    const end = endOf(await collect(client.streamTurn(turnRequest('Hi'))))
    expect(end).toMatchObject({ type: 'finish', text: greeting, usage: { isEstimated: true } })
  }
  const options = models.first.requests.map(({ body }) => body.stream_options !== undefined)
  expect(options).toEqual([true, false, false])
})

it('sends a request at most twice if the server keeps rejecting it', async () => {
  models.first.behaviors.push('400')
  const client = await models.open({ settings: { fallback: undefined } })
  const end = endOf(await collect(client.streamTurn(turnRequest('Hi'))))
  expect(end).toMatchObject({ failure: { kind: 'rejected', status: 400 } })
  expect(models.first.requests).toHaveLength(2)
})

it("if a server doesn't report how many tokens were used, counts one token per 3 characters", async () => {
  models.first.behaviors.push('no-usage')
  const client = await models.open()
  const { usage } = endOf(await collect(client.streamTurn(turnRequest('Hi'))))
  expect(usage).toMatchObject({ outputTokens: Math.ceil(greeting.length / 3), isEstimated: true })
  expect(usage.inputTokens).toBeGreaterThan('Be polite. Ask: Do you own a house?Hi'.length / 3)
})

it("if a server doesn't report how many tokens were used, includes the tools' schemas in the estimate", async () => {
  models.first.behaviors.push('no-usage')
  const client = await models.open()
  const { tool } = recordingTool('contact_note')
  const inputSchema = { ...tool.inputSchema, description: 'x'.repeat(30_000) }
  const { usage } = endOf(
    await collect(client.streamTurn(turnRequest('Hi', { tools: [{ ...tool, inputSchema }] }))),
  )
  expect(usage.inputTokens).toBeGreaterThan(10_000)
})

it('if an answer exceeds its token limit, aborts the request and ends the answer without a failure', async () => {
  models.first.behaviors.push('endless')
  const client = await models.open()
  const end = endOf(await collect(client.streamTurn(turnRequest('Hi', { maxOutputTokens: 20 }))))
  expect(end).toMatchObject({ type: 'finish', isTruncated: true })
  expect(end.text.length).toBeLessThan(300)
  await waitUntil(() => models.first.requests[0]?.isAborted === true)
})

it('marks an answer that reached its token limit as truncated', async () => {
  const client = await models.open()
  const end = endOf(await collect(client.streamTurn(turnRequest('Hi', { maxOutputTokens: 3 }))))
  expect(end).toMatchObject({ type: 'finish', isTruncated: true, text: 'Hello, thank you ' })
})

it('ends an interrupted turn with the failure `aborted`, without logging an error or asking the second model', async () => {
  models.first.behaviors.push('endless')
  const client = await models.open()
  const interruption = new AbortController()
  const parts = []
  for await (const part of client.streamTurn(turnRequest('Hi', { signal: interruption.signal }))) {
    parts.push(part)
    interruption.abort()
  }
  expect(endOf(parts)).toMatchObject({ failure: { kind: 'aborted' }, usage: { isEstimated: true } })
  expect(endOf(parts).text).toMatch(/^Hello, /)
  expect(models.second.requests).toHaveLength(0)
  expect(models.log()).toBe('')
})

it('sends nothing if the signal has already aborted', async () => {
  const client = await models.open()
  const end = endOf(await collect(client.streamTurn(turnRequest('Hi', { signal: AbortSignal.abort() }))))
  expect(end).toMatchObject({ failure: { kind: 'aborted' } })
  expect(models.first.requests).toHaveLength(0)
})

it('aborts the request if the caller stops reading', async () => {
  models.first.behaviors.push('endless')
  const client = await models.open()
  const turn = client.streamTurn(turnRequest('Hi'))
  await turn.next()
  await turn.return()
  await waitUntil(() => models.first.requests[0]?.isAborted === true)
})

it('uses one connection for several turns, and closes it once it has been idle for the set time', async () => {
  const client = await models.open()
  for (let turn = 0; turn < 4; turn += 1) {
    await collect(client.streamTurn(turnRequest('Hi')))
    // Time must pass between turns, as it does while a contact speaks. Otherwise, the client wouldn't know yet that the
    // connection is free.
    await (await fetch(`${models.second.url}/models`)).text()
  }
  expect(models.first.requests).toHaveLength(4)
  expect(models.first.countConnections()).toBe(1)

  const impatient = await models.open({ keepAliveMs: 1 })
  await collect(impatient.streamTurn(turnRequest('Hi')))
  expect(models.first.countConnections()).toBe(2)
  await waitUntil(async () => (await models.first.countOpenConnections()) === 1)
})

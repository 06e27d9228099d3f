import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { FormError } from '../../platform/core/form-errors.ts'
import { seedLiveCall, seedWorkspace } from '../support/factories.ts'
import { openSse, type RawSession, secret, textResult, useMcpWorld } from '../support/mcp.ts'
import { waitUntil } from '../support/wait.ts'

let session: RawSession
let agentId: number
let widgetId: string
const aborted: string[] = []
const seen: unknown[] = []
let started = 0
const neverSettle = () => {
  started += 1
  return new Promise<never>(() => {})
}

// This hook must run before the service's hooks. Jest runs these hooks in registration order.
afterAll(() => session.close())
const service = useMcpWorld({
  echo: ({ args }) => textResult(String(args.text)),
  optional: ({ args }) => {
    seen.push({ args })
    return textResult('seen')
  },
  see: ({ args, call, dryRun }) => {
    seen.push({ args, call, dryRun })
    return textResult('seen')
  },
  reject: () => {
    throw new FormError('not_found', 'No contact has this number. Ask for it again.')
  },
  crash: () => {
    throw new Error('password=hunter2 at 10.0.0.7')
  },
  flood: () => textResult('x'.repeat(50 * 1024 * 1024)),
  hang: ({ signal, args }) => {
    signal.addEventListener('abort', () => aborted.push(String(args.text)))
    return neverSettle()
  },
  deaf: neverSettle,
  stubborn: () => {
    throw undefined
  },
  list: async (_, { db }) => {
    const workspaces = await db.selectFrom('workspace').select('id').execute()
    return textResult(workspaces.map(({ id }) => id).join())
  },
  note: ({ dryRun }) => textResult(dryRun ? 'would note' : 'noted'),
})
beforeAll(async () => {
  const agent = await service.addAgent()
  agentId = agent.agentId
  widgetId = agent.widgetId
  const anything = { type: 'object' }
  for (const name of ['echo', 'list', 'reject', 'crash', 'flood', 'hang', 'deaf', 'stubborn']) {
    await service.addTool(agentId, name)
  }
  await service.addTool(agentId, 'see', { schema: anything })
  await service.addTool(agentId, 'note', { kind: 'contact_note', schema: anything })
  await service.addTool(agentId, 'unset', { config: { spreadsheet_id: 7 } })
  await service.addTool(agentId, 'strict', {
    schema: {
      type: 'object',
      properties: { city: { type: 'string' }, count: { type: 'integer' } },
      required: ['city', 'count'],
      additionalProperties: false,
    },
  })
  const stringOrNull = { anyOf: [{ type: 'string' }, { type: 'null' }] }
  await service.addTool(agentId, 'optional', {
    schema: {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: ['integer', 'null'] },
        c: { enum: ['x', 'y'] },
        d: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] },
        e: stringOrNull,
        f: { type: ['string', 'null'] },
        g: { type: 'string' },
        h: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        i: { maxLength: 3 },
      },
    },
  })
  session = await openSse(service.url, { widget_id: widgetId })
})

/** Sends a message over Streamable HTTP. */
const post = (message: object, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/api/mcp/?widget_id=${widgetId}`, {
    method: 'POST',
    headers: { 'X-Agent-Secret': secret, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(message),
  })

const callForText = async (name: string, args?: unknown) => {
  const { result } = await session.call(name, args)
  return { text: result?.content?.[0]?.text ?? '', isError: result?.isError === true }
}

describe('tool names and arguments', () => {
  it.each(['missing', '__proto__', 'constructor', 'toString', ''])(
    'returns an error for the unknown tool "%s"',
    async (name) => {
      const { error } = await session.call(name, { text: 'x' })
      expect(error).toEqual({ code: -32602, message: `Unknown tool: ${name}` })
    },
  )

  it('names every invalid argument in the error', async () => {
    const { text, isError } = await callForText('strict', { count: 'three', town: 'Oslo' })
    expect(isError).toBe(true)
    for (const part of ["strict wasn't called", 'city is required', 'count must be a whole number', 'town']) {
      expect(text).toContain(part)
    }
    expect((await callForText('strict')).text).toContain('count is required')
    expect((await callForText('echo', { text: 'a\u0000b' })).text).toContain('NUL')
    expect((await callForText('echo', JSON.parse('{"text":"x","__proto__":{"a":1}}'))).text).toBe('x')
  })

  it('treats arguments that are null like an empty object', async () => {
    expect(await callForText('see', null)).toEqual({ text: 'seen', isError: false })
    expect(seen.at(-1)).toMatchObject({ args: {} })
  })

  it('treats null and empty text as missing for an optional argument whose schema rejects them', async () => {
    const args = { a: null, b: '', c: null, d: '', e: null, f: null, g: '', h: null, i: '' }
    expect(await callForText('optional', args)).toEqual({ text: 'seen', isError: false })
    expect(seen.at(-1)).toMatchObject({ args: { e: null, f: null, g: '', i: '' } })
    const missing = await callForText('strict', { city: null, count: null })
    expect(missing.text).toContain('city must be text')
    expect(missing.text).toContain('count must be a whole number')
  })

  it('rejects arguments that are nested too deeply', async () => {
    const deep = JSON.parse('{"a":'.repeat(500) + '1' + '}'.repeat(500)) as object
    expect(await callForText('see', deep)).toMatchObject({ isError: true })
  })

  it('rejects too many values without checking each one, and replaces NUL characters in argument names that errors mention', async () => {
    const many = { a: Array.from({ length: 20_000 }, () => '\u0000') }
    expect((await callForText('see', many)).text).toContain('there are too many values')
    const { text } = await callForText('strict', { city: 'x', count: 1, 'a\u0000b': 1 })
    expect(text).toContain('unknown argument a\uFFFDb')
    expect((await callForText('see', { a: ['x\u0000'] })).text).toContain(
      'contains an invisible NUL character',
    )
  })
})

it('escapes Unicode line separators in responses, because many clients treat them as line breaks', async () => {
  const text = 'one\u2028two\u2029three'
  const initialized = await post({
    ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })
  const id = initialized.headers.get('mcp-session-id') ?? ''
  const params = { name: 'echo', arguments: { text } }
  const called = await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { 'mcp-session-id': id })
  const json = await called.text()
  expect(json).toContain('one\\u2028two\\u2029three')
  expect(JSON.parse(json)).toMatchObject({ result: { content: [{ text }] } })
  expect((await callForText('echo', { text })).text).toBe(text)
})

it("a tool sees only its workspace's rows, even if its statement has no condition on the workspace", async () => {
  await seedWorkspace(service.deps, 'Neighbor')
  expect(await callForText('list', { text: '' })).toEqual({
    text: String(service.seed.workspaceId),
    isError: false,
  })
})

describe('tool results', () => {
  it("returns a tool's errors that are meant for the agent, but hides the details of unexpected errors", async () => {
    expect(await callForText('reject', { text: 'x' })).toEqual({
      text: 'No contact has this number. Ask for it again.',
      isError: true,
    })
    const { text, isError } = await callForText('crash', { text: 'x' })
    expect(isError).toBe(true)
    expect(text).toMatch(/^crash failed \(reference [0-9a-f]{8}\)/)
    expect(text).not.toContain('hunter2')
    expect((await callForText('stubborn', { text: 'x' })).isError).toBe(true)
    expect((await callForText('unset', { text: 'x' })).text).toContain("isn't set up")
  })

  it('truncates a result of 50 MB', async () => {
    const { text, isError } = await callForText('flood', { text: 'x' })
    expect(isError).toBe(false)
    expect(text.length).toBeLessThan(33_000)
    expect(text).toMatch(/more characters omitted\.\]$/)
  })
})

describe('tool calls in progress', () => {
  it('end with an error after 20 seconds, even if the tool ignores the abort signal', async () => {
    const begun = started
    for (const [id, name] of ['hang', 'deaf'].entries()) {
      const params = { name, arguments: { text: 'slow' } }
      await session.post({ jsonrpc: '2.0', id, method: 'tools/call', params })
    }
    await waitUntil(() => started === begun + 2)
    service.deps.clock.advance(20_000)
    for (const { result } of [await session.next(), await session.next()]) {
      expect(result?.isError).toBe(true)
      expect(result?.content?.[0]?.text).toMatch(/didn't respond within 20 seconds/)
    }
    expect(aborted).toContain('slow')
    expect((await callForText('echo', { text: 'still here' })).text).toBe('still here')
  })

  it("are canceled without a response, even if the request's ID is 0", async () => {
    for (const id of [0, 'x', 17]) {
      const text = `canceled ${id}`
      const begun = started
      await session.post({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'hang', arguments: { text } },
      })
      await waitUntil(() => started === begun + 1)
      await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
      await waitUntil(() => aborted.includes(text))
    }
    expect((await callForText('echo', { text: 'next' })).text).toBe('next')
  })

  it("are aborted when their session's stream closes, without affecting other sessions", async () => {
    const other = await openSse(service.url, { widget_id: widgetId })
    const begun = started
    await other.post({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'hang', arguments: { text: 'cut' } },
    })
    await waitUntil(() => started === begun + 1)
    other.close()
    await waitUntil(() => aborted.includes('cut'))
    await waitUntil(async () => (await other.post({ jsonrpc: '2.0', id: 2, method: 'ping' })).status === 404)
    expect((await callForText('echo', { text: 'untouched' })).text).toBe('untouched')
  })

  it('are limited to 100 in a session', async () => {
    const callSession = await openSse(service.url, { widget_id: widgetId })
    for (let id = 1; id <= 100; id += 1) {
      const params = { name: 'deaf', arguments: { text: 'x' } }
      await callSession.post({ jsonrpc: '2.0', id, method: 'tools/call', params })
    }
    expect((await callSession.call('echo', { text: 'x' })).result).toMatchObject({ isError: true })
    callSession.close()
  })
})

describe('a session for a phone call', () => {
  const listRecords = (callId: number) =>
    service.deps.db.selectFrom('tool_call').selectAll().where('call_id', '=', callId).orderBy('id').execute()

  it('runs tools for its call, and records each tool call before responding', async () => {
    const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
    const callSession = await openSse(service.url, { widget_id: widgetId, call_id: call.attemptId })
    await callSession.call('see', { city: 'Oslo' })
    expect(seen.at(-1)).toMatchObject({
      args: { city: 'Oslo' },
      dryRun: false,
      call: { attemptId: call.attemptId, callId: call.callId, test: false },
    })
    await callSession.call('strict', { count: 1 })
    await callSession.call('crash', { text: 'x' })
    await callSession.call('missing')
    expect(await listRecords(call.callId)).toMatchObject([
      { tool_name: 'see', arguments: { city: 'Oslo' }, result: 'seen', is_error: false, dry_run: false },
      { tool_name: 'strict', is_error: true, attempt_id: call.attemptId },
      { tool_name: 'crash', is_error: true },
    ])
    callSession.close()
  })

  it("records tool calls even if their texts are too long or can't be stored unchanged", async () => {
    const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
    const callSession = await openSse(service.url, { widget_id: widgetId, call_id: call.attemptId })
    await callSession.call('see', { text: 'x'.repeat(200_000) })
    await callSession.call('echo', { text: 'nul \u0000 and half \ud800' })
    await callSession.call('flood', { text: 'x' })
    const records = await listRecords(call.callId)
    expect(records.map(({ tool_name }) => tool_name)).toEqual(['see', 'echo', 'flood'])
    for (const { arguments: args, result } of records) {
      expect(JSON.stringify(args).length).toBeLessThan(20_000)
      expect(result.length).toBeLessThan(20_000)
    }
    callSession.close()
  })

  it("records arguments unchanged, except for characters that the database can't store", async () => {
    const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
    const callSession = await openSse(service.url, { widget_id: widgetId, call_id: call.attemptId })
    const args = {
      'a\u0000': { halves: ['\ud800', 'x\udfff', '\ude00\ud83d'], whole: '😀' },
      'half \udead': 'nul \u0000',
      spelled: 'a\\u0000 b\\\\ud800 c\\',
    }
    await callSession.call('see', args)
    const [record] = await listRecords(call.callId)
    expect(record?.arguments).toEqual({
      'a\ufffd': { halves: ['\ufffd', 'x\ufffd', '\ufffd\ufffd'], whole: '😀' },
      'half \ufffd': 'nul \ufffd',
      spelled: 'a\\u0000 b\\\\ud800 c\\',
    })
    expect(service.logOutput()).not.toContain('failed to record a tool call')
    callSession.close()
  })

  it('records a tool call that was canceled because the client disconnected', async () => {
    const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
    const callSession = await openSse(service.url, { widget_id: widgetId, call_id: call.attemptId })
    const params = { name: 'hang', arguments: { text: 'hung up' } }
    const begun = started
    await callSession.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    // Waits until the tool has started. If the stream closed before that, the tool wouldn't run, and the call wouldn't be
    // recorded.
    await waitUntil(() => started === begun + 1)
    callSession.close()
    await waitUntil(async () => (await listRecords(call.callId)).length === 1)
    expect(await listRecords(call.callId)).toMatchObject([{ tool_name: 'hang', is_error: true }])
  })

  it('only simulates tools that have effects if the call is a test call', async () => {
    const call = await seedLiveCall(service.deps, { ...service.seed, agentId }, { test: true })
    const callSession = await openSse(service.url, { widget_id: widgetId, call_id: call.attemptId })
    expect((await callSession.call('note', {})).result?.content?.[0]?.text).toBe('would note')
    await callSession.call('see', {})
    expect(await listRecords(call.callId)).toMatchObject([
      { tool_name: 'note', dry_run: true },
      { tool_name: 'see', dry_run: false },
    ])
    expect((await session.call('note', {})).result?.content?.[0]?.text).toBe('noted')
    callSession.close()
  })
})

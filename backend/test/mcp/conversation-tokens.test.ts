import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from '@jest/globals'
import { attemptReportsPath } from '../../platform/core/runtime-paths.ts'
import { createAttemptToken } from '../../platform/secrets/attempt-tokens.ts'
import { createConversationToken } from '../../platform/secrets/conversation-tokens.ts'
import { seedChatWithToken } from '../support/chats-with-tokens.ts'
import { seedLiveCall } from '../support/factories.ts'
import { openSse, otherSecret, secret, textResult, useMcpWorld } from '../support/mcp.ts'
import { apiPrefix } from '../support/test-api.ts'

let agentId: number
let widgetId: string
const service = useMcpWorld({
  who: ({ chat, call }) => textResult(JSON.stringify({ chat, call })),
  note: ({ dryRun }) => textResult(dryRun ? 'would note' : 'noted'),
})
beforeAll(async () => {
  ;({ agentId, widgetId } = await service.addAgent('draft'))
  await service.addTool(agentId, 'who', { schema: { type: 'object' } })
  await service.addTool(agentId, 'note', { kind: 'contact_note', schema: { type: 'object' } })
})

let contactCount = 0

async function addContact() {
  contactCount += 1
  const phoneNumber = `+1202559${String(contactCount).padStart(4, '0')}`
  const { id } = await service.deps.db
    .insertInto('contact')
    .values({ workspace_id: service.seed.workspaceId, phone_number: phoneNumber })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, phoneNumber }
}

const startChat = (more: { contactId?: number; agentId?: number } = {}) =>
  seedChatWithToken(service.deps, { ...service.seed, agentId, ...more })

/** Returns the status and code of a request for a session. */
async function requestSession(query: Record<string, string>, headers: Record<string, string> = {}) {
  const stop = new AbortController()
  const search = new URLSearchParams(query).toString()
  const response = await fetch(`${service.url}/api/mcp/sse?${search}`, { headers, signal: stop.signal })
  if (response.status === 200) {
    stop.abort()
    return [200]
  }
  const { error } = (await response.json()) as { error: { code: string } }
  return [response.status, error.code]
}

it("a conversation token opens a draft agent's tools for its chat, and the tools get the chat's contact", async () => {
  const contact = await addContact()
  const { id, token } = await startChat({ contactId: contact.id })
  for (const query of [{}, { widget_id: widgetId }] as Record<string, string>[]) {
    const session = await openSse(service.url, query, { 'X-Agent-Secret': token })
    const text = (await session.call('who', {})).result?.content?.[0]?.text ?? ''
    expect(JSON.parse(text)).toMatchObject({ chat: { conversationId: id, contact } })
    session.close()
  }
})

it("a conversation token opens a paused agent's tools for a chat that has no contact", async () => {
  const paused = await service.addAgent('paused')
  await service.addTool(paused.agentId, 'who', { schema: { type: 'object' } })
  const { id, token } = await startChat({ agentId: paused.agentId })
  const session = await openSse(service.url, { token }, {})
  const text = (await session.call('who', {})).result?.content?.[0]?.text ?? ''
  expect(JSON.parse(text)).toMatchObject({ chat: { conversationId: id, contact: null } })
  session.close()
})

it('with a conversation token, tools that have effects are only simulated, and each tool call is recorded with the chat', async () => {
  const { id, token } = await startChat()
  const session = await openSse(service.url, { token }, {})
  expect((await session.call('note', { a: 1 })).result?.content?.[0]?.text).toBe('would note')
  await session.call('who', {})
  const rows = service.deps.db.selectFrom('tool_call').selectAll().where('conversation_id', '=', id)
  expect(await rows.orderBy('id').execute()).toMatchObject([
    { tool_name: 'note', arguments: { a: 1 }, result: 'would note', dry_run: true, call_id: null },
    { tool_name: 'who', dry_run: false, attempt_id: null, workspace_id: service.seed.workspaceId },
  ])
  session.close()
})

it("a conversation token doesn't open another agent's tools, or tools for a call", async () => {
  const { token } = await startChat()
  const other = await service.addAgent()
  const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
  for (const query of [
    { widget_id: other.widgetId },
    { widget_id: randomUUID() },
    { call_id: call.attemptId },
    { call_id: randomUUID() },
    { call_id: 'x' },
  ] as Record<string, string>[])
    expect(await requestSession({ token, ...query })).toEqual([404, 'not_found'])
})

it('a conversation token gives access to tools only, not to attempt reports or the API', async () => {
  const { token } = await startChat()
  const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${service.url}${path}`, { ...init, headers })
    const { error } = (await response.json()) as { error: { code: string } }
    return [response.status, error.code]
  }
  const report = JSON.stringify({ sequence: 1, type: 'ringing', at: '2026-05-04T15:00:00Z' })
  const reporting = send(attemptReportsPath(call.attemptId), { method: 'POST', body: report })
  expect(await reporting).toEqual([401, 'invalid_credential'])
  expect(await send(`${apiPrefix}/calls/`)).toEqual([401, 'invalid_credential'])
})

it("a conversation token can't be forged, or made from an attempt token by changing the prefix", async () => {
  const { id, token } = await startChat()
  const other = await startChat()
  const key = service.deps.attemptTokenKey
  const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
  for (const forged of [
    createConversationToken(Buffer.from('another-key'), id),
    createAttemptToken(key, id).replace('oat_', 'oct_'),
    createConversationToken(key, call.attemptId).replace('oct_', 'oat_'),
    other.token.slice(0, 20) + token.slice(20),
    token.slice(0, -4),
    // This spelling decodes to the same bytes.
    `${token}=`,
    `${token.slice(0, 10)}!${token.slice(10)}`,
    'oct_',
    `oct_${id}`,
  ])
    expect(await requestSession({ token: forged })).toEqual([401, 'invalid_credential'])
  expect(await requestSession({ token: createConversationToken(key, randomUUID()) })).toEqual([
    401,
    'expired_credential',
  ])
})

it('a conversation token is rejected if the request also has a different credential', async () => {
  const { token } = await startChat()
  const other = await startChat()
  const headers = { Authorization: `Bearer ${token}` }
  expect(await requestSession({ token }, headers)).toEqual([200])
  for (const another of [other.token, secret])
    expect(await requestSession({ token: another }, headers)).toEqual([401, 'invalid_credential'])
})

it("a conversation token is valid until its chat and the chat's analysis have ended", async () => {
  const { token, end } = await startChat()
  await end({ isAnalysisPending: true })
  expect(await requestSession({ token })).toEqual([200])
  await end()
  expect(await requestSession({ token })).toEqual([401, 'expired_credential'])
  const response = await fetch(`${service.url}/api/mcp/sse?token=${token}`)
  expect(await response.text()).toContain(
    "This conversation token has expired, because its chat has ended. Don't send the request again.",
  )
})

it.each(['tools/call', 'tools/list'])(
  "the first %s after the chat's end gets an error, and then the session ends",
  async (method) => {
    const { token, end } = await startChat()
    const session = await openSse(service.url, { token }, {})
    await end()
    expect(await session.request(method, { name: 'who' })).toMatchObject({
      error: { code: -32000, message: 'The chat has ended. Close the session.' },
    })
    await session.ended
  },
)

it("a conversation token expires when its chat is deleted or the chat's contact is erased", async () => {
  const deleted = await startChat()
  const contact = await addContact()
  const { token } = await startChat({ contactId: contact.id })
  const session = await openSse(service.url, { token }, {})
  await deleted.delete()
  await service.deps.db
    .updateTable('contact')
    .set({ erased_at: service.deps.clock.now(), phone_number: '' })
    .where('id', '=', contact.id)
    .execute()
  for (const expired of [deleted.token, token])
    expect(await requestSession({ token: expired })).toEqual([401, 'expired_credential'])
  expect(await session.request('tools/list')).toMatchObject({
    error: { message: 'The chat has ended. Close the session.' },
  })
  await session.ended
})

it('a conversation token stays valid when all runtime secrets are removed', async () => {
  const { token } = await startChat()
  const session = await openSse(service.url, { token }, {})
  service.setSecrets([])
  expect(await session.request('ping')).toMatchObject({ result: {} })
  expect(await requestSession({ token })).toEqual([200])
  service.setSecrets([secret, otherSecret])
  session.close()
})

it('a conversation token allows messages only to its own session', async () => {
  const { token } = await startChat()
  const other = await startChat()
  const session = await openSse(service.url, { token }, {})
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  expect((await session.post(ping, { Authorization: `Bearer ${token}` })).status).toBe(202)
  expect((await session.post(ping, { Authorization: `Bearer ${other.token}` })).status).toBe(404)
  session.close()
})

it("a conversation token isn't logged", async () => {
  const { token } = await startChat()
  const session = await openSse(service.url, { token }, {})
  await session.post('{', { Authorization: `Bearer ${token}` })
  await requestSession({ token: `${token}x` })
  session.close()
  await session.ended
  expect(service.logOutput()).toContain('malformed_json')
  expect(service.logOutput()).not.toContain(token.slice(0, 40))
})

import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from '@jest/globals'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { attemptReportsPath } from '../../platform/core/runtime-paths.ts'
import { createAttemptToken } from '../../platform/secrets/attempt-tokens.ts'
import { assignTool } from '../../tools/assignments.ts'
import { toolKinds } from '../../tools/kind-registry.ts'
import type { ToolKind } from '../../tools/kinds/tool-kind.ts'
import { listTools } from '../../tools/tool-catalog.ts'
import { seedChatWithToken } from '../support/chats-with-tokens.ts'
import { getWidgetId, seedAgent, seedLiveCall } from '../support/factories.ts'
import { dumpRows, rowsOfWorkspace } from '../support/foreign-objects.ts'
import { findIdFields } from '../support/id-fields.ts'
import { openSse, type RawSession, secret } from '../support/mcp.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { useToolServiceWorld } from '../support/service-with-tools.ts'

// These tests use every built-in tool, including tools added later. A test fails if an argument is in none of the lists below,
// or if an ID field of a tool's configuration has no value.

type BuiltInKind = Extract<ToolKind, { builtIn: object }>
const kinds = [...toolKinds.values()].filter((kind): kind is BuiltInKind => kind.builtIn !== undefined)

/** Values that only the other workspace's contact has. */
const theirContact = {
  phone_number: '+12025550142',
  email: 'theirs-only@example.com',
  external_id: 'theirs-only',
}

/** Arguments that select or find an object, with values from the other workspace. */
const foreignArguments: Record<string, unknown> = { ...theirContact, query: 'Theirs' }

/** Arguments that are only stored, with valid values. */
const otherArguments: Record<string, unknown> = {
  at: '2026-05-05T15:30',
  first_name: 'Changed',
  last_name: 'Changed',
  text: 'Changed',
  time_zone: 'Europe/Berlin',
  values: { Theirs: 'Changed' },
  variables: { product: 'Changed' },
}

/** Configurations of tool assignments, with the IDs of another workspace's objects. */
const foreignConfigs: Record<string, (of: SeededObjects) => Record<string, unknown>> = {
  spreadsheet_append: (of) => ({ spreadsheet_id: of.spreadsheet }),
}

let ours: SeededObjects
let theirs: SeededObjects
let widgetId: string
let theirWidgetId: string
const world = useToolServiceWorld()
beforeAll(async () => {
  const { service } = world
  ours = await seedEverything(service, 'Ours')
  theirs = await seedEverything(service, 'Theirs')
  widgetId = await getWidgetId(service.deps, ours.agent)
  theirWidgetId = await getWidgetId(service.deps, theirs.agent)
  await service.deps.db.updateTable('contact').set(theirContact).where('id', '=', theirs.contact).execute()
  for (const { id, kind } of await listTools(service.deps, ours.workspaceId)) {
    if (toolKinds.get(kind)?.builtIn === undefined) continue
    // Inserts the row directly, because `assignTool()` rejects a configuration with another workspace's IDs.
    await service.deps.db
      .insertInto('widget_tool')
      .values({
        workspace_id: ours.workspaceId,
        agent_id: ours.agent,
        tool_id: id,
        config: JSON.stringify(foreignConfigs[kind]?.(theirs) ?? {}),
      })
      .execute()
  }
})

const readTheirs = async () => rowsOfWorkspace(await dumpRows(world.database), theirs.workspaceId)

const propertiesOf = ({ builtIn }: BuiltInKind): string[] => Object.keys(builtIn.inputSchema.properties ?? {})

/** Returns the arguments for a tool's calls: one for each foreign argument, or a single call without foreign arguments. */
function createArguments(kind: BuiltInKind): Record<string, unknown>[] {
  const properties = propertiesOf(kind)
  const pick = (names: string[], values: Record<string, unknown>) =>
    Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]]))
  const others = pick(properties, otherArguments)
  const foreign = properties.filter((name) => name in foreignArguments)
  return foreign.length === 0
    ? [others]
    : foreign.map((name) => ({ ...others, ...pick([name], foreignArguments) }))
}

/** Uses every tool with every foreign argument, and returns the texts of the results. */
async function useAllTools(session: RawSession): Promise<string[]> {
  const texts: string[] = []
  for (const kind of kinds) {
    for (const args of createArguments(kind)) {
      const { result, error } = await session.call(kind.builtIn.name, args)
      texts.push(
        `${kind.kind} ${JSON.stringify(args)}: ${result?.content?.[0]?.text ?? error?.message ?? ''}`,
      )
    }
  }
  session.close()
  return texts
}

it("these tests have a value for every argument of every built-in tool, and for every ID in a tool's configuration", () => {
  const known = [...Object.keys(foreignArguments), ...Object.keys(otherArguments)].sort()
  expect([...new Set(kinds.flatMap(propertiesOf))].sort()).toEqual(known)
  const configured = kinds.filter(({ config }) => findIdFields(config).length > 0).map(({ kind }) => kind)
  expect(configured).toEqual(Object.keys(foreignConfigs))
})

it.each([
  ['outside of a call', async () => ({ token: secret })],
  [
    'in a call',
    async () => ({
      token: secret,
      call_id: (await seedLiveCall(world.service.deps, ours.user.seed)).attemptId,
    }),
  ],
  [
    'in a chat',
    async () => {
      const { userId } = ours.user
      const chat = await seedChatWithToken(world.service.deps, {
        ...ours.user.seed,
        userId,
        contactId: ours.contact,
      })
      return { token: chat.token }
    },
  ],
])(
  "a tool that's used %s neither reads nor changes another workspace's objects",
  async (_where, getQuery) => {
    const before = await readTheirs()
    const session = await openSse(world.service.url, { widget_id: widgetId, ...(await getQuery()) }, {})
    const texts = await useAllTools(session)
    expect(texts.length).toBeGreaterThan(kinds.length)
    const results = texts.map((text) => text.slice(text.indexOf('}: ')))
    expect(results.filter((text) => /theirs@|About Theirs|Name: Theirs|Row added/i.test(text))).toEqual([])
    expect(await readTheirs()).toEqual(before)
  },
)

it("doesn't assign a tool whose configuration names another workspace's object", async () => {
  const before = await dumpRows(world.database)
  const { deps } = world.service
  for (const [kind, createConfig] of Object.entries(foreignConfigs)) {
    const tool = (await listTools(deps, ours.workspaceId)).find((one) => one.kind === kind)
    await expect(
      assignTool(deps, ours.workspaceId, ours.agent, tool?.id ?? 0, createConfig(theirs)),
    ).rejects.toMatchObject({ status: 422, details: [{ code: 'not_found' }] })
  }
  expect(await dumpRows(world.database)).toEqual(before)
})

const mcpHeaders = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}
const initializeParams = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'x', version: '1' },
}

it('rejects a tool request or attempt report whose credential is for another call, chat, agent, or purpose', async () => {
  const { deps, url } = world.service
  const agent2 = await seedAgent(deps, ours.workspaceId)
  const createCall = async (of: SeededObjects, agentId = of.agent) => {
    const call = await seedLiveCall(deps, { ...of.user.seed, agentId })
    return { ...call, token: createAttemptToken(deps.attemptTokenKey, call.attemptId) }
  }
  const [mine, ofAgent2, their, ended] = [
    await createCall(ours),
    await createCall(ours, agent2),
    await createCall(theirs),
    await createCall(theirs),
  ]
  await ended.end()
  const startChat = (of: SeededObjects, agentId = of.agent) =>
    seedChatWithToken(deps, { ...of.user.seed, userId: of.user.userId, agentId })
  const endedChat = await startChat(theirs)
  await endedChat.end()
  const { key } = await createApiKey(deps, theirs.workspaceId, theirs.owner, 'Theirs')
  const credentials: Record<string, string | null> = {
    none: null,
    malformed: 'x',
    'a runtime secret that was removed': 'runtime-secret-that-was-removed-earlier',
    "another agent's attempt token": ofAgent2.token,
    "another workspace's attempt token": mine.token,
    "an ended attempt's token": ended.token,
    "another agent's conversation token": (await startChat(ours, agent2)).token,
    "another workspace's conversation token": (await startChat(ours)).token,
    // This token gives access to the agent's tools, but to no call.
    "the agent's own conversation token": (await startChat(theirs)).token,
    "an ended conversation's token": endedChat.token,
    'an API key': key,
  }
  const query = new URLSearchParams({ widget_id: theirWidgetId, call_id: their.attemptId }).toString()
  const theirSession = await openSse(url, { widget_id: theirWidgetId, call_id: their.attemptId })
  const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: initializeParams }
  const opened = await fetch(`${url}/api/mcp/?${query}`, {
    method: 'POST',
    headers: { ...mcpHeaders, 'X-Agent-Secret': secret },
    body: JSON.stringify(initialize),
  })
  const theirStreamable = opened.headers.get('mcp-session-id') ?? ''
  expect(theirStreamable).not.toBe('')
  const before = await dumpRows(world.database)
  const wrong: string[] = []
  for (const [name, credential] of Object.entries(credentials)) {
    const headers = {
      ...mcpHeaders,
      ...(credential !== null && { authorization: `Bearer ${credential}` }),
    }
    const send = (method: string, path: string, body?: object, more: Record<string, string> = {}) =>
      fetch(`${url}${path}`, {
        method,
        headers: { ...headers, ...more },
        ...(body && { body: JSON.stringify(body) }),
      })
    // A request without a credential must not use an existing session, because the session's ID is itself a secret.
    const messages =
      credential === null
        ? `/api/mcp/messages/?sessionId=${randomUUID()}`
        : theirSession.endpoint.replace(url, '')
    const ofSession = { 'mcp-session-id': theirStreamable }
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const responses = {
      'GET /api/mcp/sse': await send('GET', `/api/mcp/sse?${query}`),
      'POST /api/mcp/messages/': await send('POST', messages, ping),
      'POST /api/mcp/': await send('POST', `/api/mcp/?${query}`, initialize),
      'POST /api/mcp/ in a session': await send('POST', '/api/mcp/', ping, ofSession),
      'GET /api/mcp/': await send('GET', '/api/mcp/', undefined, ofSession),
      'DELETE /api/mcp/': await send('DELETE', '/api/mcp/', undefined, ofSession),
      report: await send('POST', attemptReportsPath(their.attemptId), { sequence: 1, state: 'ringing' }),
    }
    for (const path of ['/api/mcp/sse', '/api/mcp/messages/', '/api/mcp/']) {
      const { headers: unsupported } = await fetch(`${url}${path}`, { method: 'PUT' })
      for (const method of (unsupported.get('allow') ?? 'none').split(', '))
        expect(Object.keys(responses)).toContain(`${method} ${path}`)
    }
    for (const [route, response] of Object.entries(responses)) {
      const body = await response.text()
      if (![401, 404].includes(response.status) || /theirs/i.test(body))
        wrong.push(`${name} ${route} ${response.status}`)
    }
  }
  expect(wrong).toEqual([])
  expect(await dumpRows(world.database)).toEqual(before)
  expect(await theirSession.request('ping')).toMatchObject({ result: {} })
  theirSession.close()
})

it("doesn't open a tool session for a call and an agent of different workspaces", async () => {
  const { attemptId } = await seedLiveCall(world.service.deps, theirs.user.seed)
  for (const query of [
    { widget_id: widgetId, call_id: attemptId },
    { widget_id: theirWidgetId, call_id: (await seedLiveCall(world.service.deps, ours.user.seed)).attemptId },
  ])
    await expect(openSse(world.service.url, query)).rejects.toThrow('404')
})

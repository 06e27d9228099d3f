import { afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import type { ToolKindName } from '../../../platform/db/schema.ts'
import { assignTool } from '../../../tools/assignments.ts'
import { isSimpleSchema } from '../../../tools/json-schema/compile-schema.ts'
import { toolKinds } from '../../../tools/kind-registry.ts'
import { listTools } from '../../../tools/tool-catalog.ts'
import { seedCall } from '../../support/calls.ts'
import type { TestDeps } from '../../support/deps.ts'
import { freshNumber, getWidgetId, type Seed, seedLiveCall, seedWorkspace } from '../../support/factories.ts'
import { openSse } from '../../support/mcp.ts'
import { useToolServiceWorld } from '../../support/service-with-tools.ts'

const toolNames: ToolKindName[] = [
  'contact_lookup',
  'contact_update',
  'contact_note',
  'do_not_call',
  'schedule_callback',
]

let deps: TestDeps
let seed: Seed
let widgetId: string
const world = useToolServiceWorld()
beforeAll(async () => {
  deps = world.service.deps
  seed = await seedWorkspace(deps)
  for (const name of toolNames) await assign(name)
  widgetId = await getWidgetId(deps, seed.agentId)
})

async function assign(kind: ToolKindName): Promise<void> {
  const definition = toolKinds.get(kind)?.builtIn
  if (definition === undefined) throw new Error(`${kind} isn't built in`)
  const { name, description, inputSchema } = definition
  const workspace_id = seed.workspaceId
  const tool = await deps.db
    .insertInto('mcp_tool')
    .values({ workspace_id, kind, name, description, input_schema: JSON.stringify(inputSchema) })
    .returning('id')
    .executeTakeFirstOrThrow()
  const assignment = { workspace_id, agent_id: seed.agentId, tool_id: tool.id }
  await deps.db.insertInto('widget_tool').values(assignment).execute()
}

/** Uses tools one after another during a live call, and returns the texts of their results. */
async function useInCall(test: boolean, uses: [string, Record<string, unknown>][]): Promise<string[]> {
  const { attemptId } = await seedLiveCall(deps, seed, { test })
  const session = await openSse(world.service.url, { widget_id: widgetId, call_id: attemptId })
  const texts: string[] = []
  for (const [name, args] of uses) {
    const { result } = await session.call(name, args)
    texts.push(result?.content?.[0]?.text ?? '')
  }
  session.close()
  return texts
}

it('runs the contact tools for the person on the call', async () => {
  const results = await useInCall(false, [
    ['contact_update', { first_name: 'Maya', time_zone: 'Europe/Berlin', email: null }],
    ['contact_note', { text: 'Has a slate roof.' }],
    ['contact_lookup', {}],
    ['schedule_callback', { at: '2026-05-05T15:30' }],
    ['do_not_call', {}],
    ['schedule_callback', { at: '2026-05-06T15:30' }],
  ])
  expect(results).toEqual([
    'Contact updated: first_name, email, time_zone.',
    'Note saved.',
    expect.stringMatching(/^Name: Maya\n.*\nLocal time: Monday, May 4, 2026 at 5:00 PM \(Europe\/Berlin\)\n/),
    'Callback scheduled for Tuesday, May 5, 2026 at 3:30 PM (Europe/Berlin).',
    "The number is on the do-not-call list and won't be called again.",
    "This number is on the do-not-call list. Don't promise a callback.",
  ])
  // The opt-out also ends the waiting callback.
  const calls = deps.db.selectFrom('call').select(['status', 'outcome', 'opted_out']).orderBy('id')
  expect(await calls.execute()).toEqual([
    { status: 'in_progress', outcome: null, opted_out: true },
    { status: 'completed', outcome: 'suppressed', opted_out: false },
  ])
  const entry = await deps.db.selectFrom('do_not_call').select('added_by').executeTakeFirst()
  expect(entry).toEqual({ added_by: { kind: 'agent', id: seed.agentId, call_id: expect.any(Number) } })
})

it("rejects a tool call with an invalid, unknown, or missing argument, and says what's wrong", async () => {
  const [update, note, lookup, callback] = await useInCall(false, [
    ['contact_update', { email: 'nobody', company: 'Acme' }],
    ['contact_note', {}],
    ['contact_lookup', { email: 'a@example.com', external_id: 'crm-1' }],
    ['schedule_callback', { at: 'tomorrow' }],
  ])
  expect(update).toMatch(/unknown argument company/)
  expect(note).toMatch(/text is required/)
  expect(lookup).toMatch(/wasn't called/)
  expect(callback).toMatch(/^at must be a date and time.* It's Monday, May 4, 2026 at 11:00 AM/)
})

it('on a test call, tools change nothing and say so', async () => {
  const before = await deps.db.selectFrom('call').select('id').execute()
  const results = await useInCall(true, [
    ['contact_update', { first_name: 'Nobody' }],
    ['contact_note', { text: 'Nothing.' }],
    ['do_not_call', {}],
    ['schedule_callback', { at: '2026-05-05T15:30' }],
  ])
  for (const text of results) expect(text).toMatch(/^Test call: nothing was changed\./)
  const [lookup] = await useInCall(true, [['contact_lookup', {}]])
  expect(lookup).toContain('Do not call: no')
  const notes = deps.db.selectFrom('contact_note').select('text').where('text', '=', 'Nothing.')
  expect(await notes.execute()).toEqual([])
  const after = await deps.db.selectFrom('call').select('id').execute()
  expect(after).toHaveLength(before.length + 2) // the two test calls themselves
})

it('accepts null or empty text in place of a missing argument, because some clients must send all arguments', async () => {
  const number = freshNumber()
  await seedCall(deps, seed, number, { first_name: 'Nora' })
  const session = await openSse(world.service.url, { widget_id: widgetId })
  for (const blank of [null, '']) {
    const args = { phone_number: number, email: blank, external_id: blank }
    const { result } = await session.call('contact_lookup', args)
    expect(result?.content?.[0]?.text).toContain('Name: Nora\n')
  }
  session.close()
})

describe('the schema of a built-in tool', () => {
  const schemas = [...toolKinds.values()].flatMap(({ kind, builtIn }) =>
    builtIn === undefined ? [] : [[kind, builtIn.inputSchema] as const],
  )
  it.each(schemas)(
    "contains no list of types, because some language models' APIs reject such lists: %s",
    (_, schema) => {
      expect(JSON.stringify(schema)).not.toContain('"type":[')
    },
  )
  it.each(schemas)('is simple enough to be checked without a separate thread: %s', (_, schema) => {
    expect(isSimpleSchema(schema)).toBe(true)
  })
})

it('lists for each tool whether it is read-only', async () => {
  const session = await openSse(world.service.url, { widget_id: widgetId })
  const { result } = await session.request('tools/list')
  const tools = (result?.tools ?? []) as { name: string; annotations: { readOnlyHint: boolean } }[]
  expect(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))).toEqual({
    contact_lookup: { readOnlyHint: true },
    contact_note: { readOnlyHint: false },
    contact_update: { readOnlyHint: false },
    do_not_call: { readOnlyHint: false },
    schedule_callback: { readOnlyHint: false },
  })
  session.close()
})

describe('arguments that select another contact', () => {
  const openInCall = async () => {
    const { attemptId } = await seedLiveCall(deps, seed)
    return openSse(world.service.url, { widget_id: widgetId, call_id: attemptId })
  }
  const listArguments = async (session: Awaited<ReturnType<typeof openSse>>) => {
    const { result } = await session.request('tools/list')
    const tools = (result?.tools ?? []) as { name: string; inputSchema: { properties: object } }[]
    return Object.fromEntries(
      tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)]),
    )
  }
  /** Calls a tool and returns its text. */
  const callTool = async (session: Awaited<ReturnType<typeof openSse>>, name: string, args: object) =>
    (await session.call(name, args)).result?.content?.[0]?.text ?? ''
  const configureLookup = async (config: object) => {
    const tool = (await listTools(deps, seed.workspaceId)).find(({ kind }) => kind === 'contact_lookup')
    await assignTool(deps, seed.workspaceId, seed.agentId, tool?.id ?? 0, config)
  }
  afterEach(() => configureLookup({}))

  it('are neither offered nor accepted in a session that belongs to a call', async () => {
    const other = freshNumber()
    await seedCall(deps, seed, other, { first_name: 'Olivia' })
    const session = await openInCall()
    expect(await listArguments(session)).toEqual({
      contact_lookup: [],
      contact_note: ['text'],
      contact_update: ['first_name', 'last_name', 'email', 'external_id', 'time_zone', 'variables'],
      do_not_call: [],
      schedule_callback: ['at'],
    })
    for (const [name, args] of [
      ['contact_lookup', {}],
      ['contact_note', { text: 'Owes us money.' }],
      ['contact_update', { last_name: 'Hacked' }],
      ['do_not_call', {}],
    ] as const) {
      const text = await callTool(session, name, { ...args, phone_number: other })
      expect(text).toBe(
        `${name} wasn't called: unknown argument phone_number. Correct the arguments and try again.`,
      )
    }
    session.close()
    const unchanged = await openSse(world.service.url, { widget_id: widgetId })
    const details = await callTool(unchanged, 'contact_lookup', { phone_number: other })
    expect(details).toContain('Name: Olivia\n')
    expect(details).toContain('Do not call: no')
    unchanged.close()
  })

  it('are offered in a session without a call', async () => {
    const session = await openSse(world.service.url, { widget_id: widgetId })
    expect(await listArguments(session)).toMatchObject({
      contact_lookup: ['phone_number', 'email', 'external_id'],
      do_not_call: ['phone_number'],
    })
    session.close()
  })

  it('can be allowed for contact_lookup during a call, but are still rejected by contact_note', async () => {
    const other = freshNumber()
    await seedCall(deps, seed, other, { first_name: 'Olivia' })
    const session = await openInCall()
    await configureLookup({ any_contact: true })
    expect(await session.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
    expect(await callTool(session, 'contact_lookup', { phone_number: other })).toContain('Name: Olivia\n')
    expect(await callTool(session, 'contact_note', { text: 'x', phone_number: other })).toContain(
      "contact_note wasn't called",
    )
    await configureLookup({})
    expect(await session.next()).toMatchObject({ method: 'notifications/tools/list_changed' })
    expect(await callTool(session, 'contact_lookup', { phone_number: other })).toContain(
      "contact_lookup wasn't called",
    )
    session.close()
  })
})

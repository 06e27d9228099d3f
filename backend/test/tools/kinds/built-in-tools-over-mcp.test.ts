import { beforeAll, expect, it } from '@jest/globals'
import type { ToolKindName } from '../../../db/schema.ts'
import { toolKinds } from '../../../tools/kind-registry.ts'
import type { TestDeps } from '../../support/deps.ts'
import { getWidgetId, type Seed, seedLiveCall, seedWorkspace } from '../../support/factories.ts'
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

/** Uses tools one after the other during a live call, and returns their texts. */
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
  // The opt-out ends the waiting callback.
  const calls = deps.db.selectFrom('call').select(['status', 'outcome']).orderBy('id')
  expect(await calls.execute()).toEqual([
    { status: 'in_progress', outcome: null },
    { status: 'completed', outcome: 'suppressed' },
  ])
})

it('names every invalid argument and does nothing', async () => {
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

it('does dry runs on a test call and changes nothing', async () => {
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

import { beforeAll, beforeEach, expect, it } from '@jest/globals'
import { addNumbersToDoNotCallList } from '../../../queue/calls/do-not-call.ts'
import { assignTool } from '../../../tools/assignments.ts'
import { createSpreadsheet } from '../../../tools/spreadsheets/spreadsheets.ts'
import { installBuiltInTools, listTools } from '../../../tools/tool-catalog.ts'
import { seedCall } from '../../support/calls.ts'
import { seedChatWithToken } from '../../support/chats-with-tokens.ts'
import type { TestDeps } from '../../support/deps.ts'
import { freshNumber, type Seed, seedWorkspace } from '../../support/factories.ts'
import { dumpRows } from '../../support/foreign-objects.ts'
import { openSse } from '../../support/mcp.ts'
import { useToolServiceWorld } from '../../support/service-with-tools.ts'

// The clock starts on Monday, May 4, 2026, at 11:00 AM in New York, which is the workspace's time zone.

let deps: TestDeps
let seed: Seed
const world = useToolServiceWorld()
beforeAll(async () => {
  deps = world.service.deps
  seed = await seedWorkspace(deps)
  await installBuiltInTools(deps, seed.workspaceId)
  const { id } = await createSpreadsheet(deps, seed.workspaceId, { name: 'Leads', columns: ['Name'] })
  for (const tool of await listTools(deps, seed.workspaceId)) {
    const config = tool.kind === 'spreadsheet_append' ? { spreadsheet_id: id, provider: 'database' } : {}
    await assignTool(deps, seed.workspaceId, seed.agentId, tool.id, config)
  }
})

let number: string
let contactId: number
beforeEach(async () => {
  number = freshNumber()
  const { contact } = await seedCall(deps, seed, number, { first_name: 'Maya', time_zone: 'Europe/Berlin' })
  contactId = contact.id
})

/** Uses tools one after another in a chat, and returns the texts of their results. */
async function useInChat(
  uses: [string, Record<string, unknown>][],
  { withContact = true } = {},
): Promise<string[]> {
  const { token } = await seedChatWithToken(deps, { ...seed, ...(withContact && { contactId }) })
  const session = await openSse(world.service.url, {}, { 'X-Agent-Secret': token })
  const texts: string[] = []
  for (const [name, args] of uses) {
    const { result } = await session.call(name, args)
    texts.push(result?.content?.[0]?.text ?? '')
  }
  session.close()
  return texts
}

/** Returns every row, except rows of chats and of the tool calls in them. */
async function dumpWithoutChats() {
  const tables = Object.entries(await dumpRows(world.database))
  return Object.fromEntries(tables.filter(([name]) => !/^(conversation|tool_call)/.test(name)))
}

const effects: [string, Record<string, unknown>][] = [
  ['contact_update', { first_name: 'Nobody' }],
  ['contact_note', { text: 'Likes mornings.' }],
  ['do_not_call', {}],
  ['schedule_callback', { at: '2026-05-05T15:30' }],
  ['spreadsheet_append', { values: { Name: 'Maya' } }],
]

it('in a chat, each tool says what it would have done for the contact, and changes nothing', async () => {
  const before = await dumpWithoutChats()
  expect(await useInChat(effects)).toEqual([
    'Chat: nothing was changed. These fields would have been updated: first_name.',
    'Chat: nothing was changed. This note would have been saved: Likes mornings.',
    'Chat: nothing was changed. The number would have been added to the do-not-call list.',
    'Chat: nothing was changed. A chat has no campaign. In a call, the callback would be scheduled for ' +
      'Tuesday, May 5, 2026 at 3:30 PM (Europe/Berlin).',
    'Chat: nothing was changed. This row would have been added: Name: Maya.',
  ])
  expect(await dumpWithoutChats()).toEqual(before)
})

it('looks up the contact of the chat', async () => {
  const [lookup] = await useInChat([['contact_lookup', {}]])
  expect(lookup).toMatch(/^Name: Maya\n/)
})

it('in a chat with sample values, which has no contact, each tool says what it would have done', async () => {
  const noContact = 'This chat has no contact, because it uses sample values. Continue without one.'
  expect(await useInChat([['contact_lookup', {}], ...effects], { withContact: false })).toEqual([
    noContact,
    'Chat: nothing was changed. These fields would have been updated: first_name.',
    'Chat: nothing was changed. This note would have been saved: Likes mornings.',
    'Chat: nothing was changed. The number would have been added to the do-not-call list.',
    'Chat: nothing was changed. A chat has no campaign. In a call, the callback would be scheduled for ' +
      'Tuesday, May 5, 2026 at 3:30 PM (America/New_York).',
    'Chat: nothing was changed. This row would have been added: Name: Maya.',
  ])
})

it('rejects a callback at an invalid time or to a number on the do-not-call list, as in a call', async () => {
  const texts = await useInChat([
    ['schedule_callback', { at: '2026-05-04T16:59' }],
    ['schedule_callback', { at: '2027-06-01T10:00' }],
    ['schedule_callback', { at: 'tomorrow' }],
    ['schedule_callback', { at: ' ' }],
  ])
  expect(texts).toEqual([
    expect.stringMatching(/^Monday, May 4, 2026 at 4:59 PM \(Europe\/Berlin\) is in the past\./),
    expect.stringContaining('is more than a year ahead.'),
    expect.stringMatching(/^at must be a date and time/),
    'The time is missing. Pass it in the `at` argument.'.replaceAll('`', ''),
  ])
  await addNumbersToDoNotCallList(
    deps,
    seed.workspaceId,
    { phoneNumber: number },
    { source: 'dashboard', reason: 'asked' },
  )
  const [listed] = await useInChat([['schedule_callback', { at: '2026-05-05T15:30' }]])
  expect(listed).toBe("This number is on the do-not-call list. Don't promise a callback.")
})

it('rejects arguments that select another contact, as in a call', async () => {
  const other = freshNumber()
  await seedCall(deps, seed, other, { first_name: 'Olivia' })
  const texts = await useInChat([
    ['contact_lookup', { phone_number: other }],
    ['contact_note', { text: 'Owes us money.', phone_number: other }],
    ['contact_update', { last_name: 'Hacked', phone_number: other }],
    ['do_not_call', { phone_number: other }],
  ])
  for (const text of texts) expect(text).toContain('unknown argument phone_number')
})

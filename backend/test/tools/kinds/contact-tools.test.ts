import { beforeEach, describe, expect, it } from '@jest/globals'
import type { CallingHours } from '@outdial/contract'
import type { ToolKindName } from '../../../platform/db/schema.ts'
import { eraseContact } from '../../../privacy/erase-contact.ts'
import { addContact } from '../../../queue/contacts/add-contact.ts'
import { updateContact } from '../../../queue/contacts/update-contact.ts'
import { toolKinds } from '../../../tools/kind-registry.ts'
import type { ToolUse } from '../../../tools/kinds/tool-kind.ts'
import { getCall, seedCall, toCaller } from '../../support/calls.ts'
import { everyHour, freshNumber, type Seed, seedWorkspace } from '../../support/factories.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()
let number: string
beforeEach(() => {
  number = freshNumber()
})

/** Uses a built-in tool as an agent does on a call to `number`. With `withoutCall`, uses it in a session without a call. */
async function use(
  name: ToolKindName,
  args: Record<string, unknown> = {},
  options: { dryRun?: boolean; withoutCall?: boolean; seeded?: Seed } = {},
) {
  const kind = toolKinds.get(name)
  if (kind?.builtIn === undefined) throw new Error(`${name} isn't built in`)
  const { dryRun = false, withoutCall = false, seeded = world.seed } = options
  const call = await seedCall(world.deps, world.seed, number)
  const toolUse: ToolUse = {
    row: {
      id: 1,
      workspaceId: seeded.workspaceId,
      version: 1,
      kind: name,
      ...kind.builtIn,
      settings: {},
      secrets: null,
    },
    toolName: kind.builtIn.name,
    agentId: seeded.agentId,
    config: {},
    args,
    call: withoutCall
      ? undefined
      : {
          attemptId: '00000000-0000-4000-8000-000000000000',
          callId: call.id,
          campaignId: world.seed.campaignId,
          contactId: call.contact.id,
          phoneNumber: number,
          test: dryRun,
        },
    chat: undefined,
    dryRun,
    signal: new AbortController().signal,
  }
  return kind.run(world.deps, toolUse)
}

describe('contact lookup', () => {
  it('returns the details and latest notes of the person on the call', async () => {
    await use('contact_note', { text: 'Prefers mornings.' })
    const { text } = await use('contact_lookup')
    expect(text).toContain('Name: Maya')
    expect(text).toContain(`Phone number: ${number}`)
    expect(text).toContain('Do not call: no')
    expect(text).toContain('Note from 2026-05-04: Prefers mornings.')
  })

  it('finds a contact by national number, email in any case, or external ID', async () => {
    await use('contact_update', { email: 'maya@example.com', external_id: 'crm-1' })
    for (const args of [
      { phone_number: number.replace('+1', '') },
      { email: 'MAYA@example.com' },
      { external_id: 'crm-1' },
    ]) {
      expect((await use('contact_lookup', args, { withoutCall: true })).text).toContain(number)
    }
  })

  it('lists the phone numbers if several contacts have the same email', async () => {
    await use('contact_update', { email: 'office@example.com' })
    const other = freshNumber()
    await seedCall(world.deps, world.seed, other, { email: 'office@example.com' })
    const { text } = await use('contact_lookup', { email: 'office@example.com' }, { withoutCall: true })
    expect(text).toContain(number)
    expect(text).toContain(other)
  })

  it('lists at most five contacts, and says if more match', async () => {
    for (const last of [1, 2, 3, 4, 5, 6])
      await seedCall(world.deps, world.seed, `+1202555018${last}`, { external_id: 'office' })
    const { text } = await use('contact_lookup', { external_id: 'office' }, { withoutCall: true })
    expect(text.match(/^- /gm)).toHaveLength(5)
    expect(text).toMatch(/More contacts match\. Ask the person for their phone number\.$/)
  })

  it('shows a multiline value on one line', async () => {
    await use('contact_update', { variables: { note: 'first\nDo not call: yes' } })
    expect((await use('contact_lookup')).text).toContain('\nnote: first Do not call: yes')
  })

  it('marks a variable that has the same name as a contact field', async () => {
    await use('contact_update', { variables: { 'Do not call': 'no', 'local time ': 'noon' } })
    const { text } = await use('contact_lookup')
    expect(text.match(/^(Variable )?do not call: .*$/gim)).toEqual([
      'Do not call: no',
      'Variable Do not call: no',
    ])
    expect(text).toContain('Variable local time')
  })
})

describe('contact updates', () => {
  it('saves fields, merges variables, and clears a field or all variables with null', async () => {
    const first = { last_name: 'Lopez', email: 'maya@example.com', variables: { roof: 'slate' } }
    expect((await use('contact_update', first)).text).toBe('Contact updated: last_name, email, roof.')
    await use('contact_update', { email: null, variables: { floors: '2' } })
    const { text } = await use('contact_lookup')
    expect(text).toContain('Name: Maya Lopez')
    expect(text).not.toContain('Email')
    expect(text).toContain('roof: slate\nfloors: 2')
    await use('contact_update', { variables: null })
    expect((await use('contact_lookup')).text).not.toMatch(/roof|floors/)
  })

  it.each([{}, { first_name: '' }, { variables: {} }])(
    'returns an error if %j changes nothing',
    async (args) => {
      expect(await use('contact_update', args)).toMatchObject({ isError: true })
    },
  )

  it('rejects variables if the contact would then have more than 100', async () => {
    const named = (name: string) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${name}${i}`, 'x']))
    await use('contact_update', { variables: named('a') })
    await expect(use('contact_update', { variables: named('b') })).rejects.toThrow('at most 100 variables')
  })

  it.each([
    [
      { email: 'nobody' },
      "email isn't a valid email address. Enter it like ada@example.com, or leave it blank.",
    ],
    [
      { time_zone: 'Mars/Olympus' },
      "time_zone isn't a valid time zone. Use an IANA time zone, for example Europe/Berlin.",
    ],
    [{ do_not_call: false }, "do_not_call isn't a known field"],
  ])('rejects %j, and says what is wrong', async (args, message) => {
    await expect(use('contact_update', args)).rejects.toThrow(message)
  })

  it("doesn't create an erased contact again", async () => {
    const phoneNumber = freshNumber()
    const agent = { kind: 'agent', id: world.seed.agentId, call_id: null } as const
    const { workspaceId } = world.seed
    const { contact } = await addContact(world.deps, toCaller(world.seed), { phone_number: phoneNumber })
    await eraseContact(world.deps, workspaceId, contact.id)
    const updating = updateContact(world.deps, workspaceId, contact.id, { first_name: 'Maya' }, agent)
    await expect(updating).rejects.toThrow('No contact found')
    const { text } = await use('contact_lookup', { phone_number: phoneNumber }, { withoutCall: true })
    expect(text).toBe('No contact found with this phone number. Ask for another number.')
  })

  it('reschedules waiting calls when the time zone changes', async () => {
    const { campaignId } = world.seed
    const hours: CallingHours = { ...everyHour, start: '12:00', end: '13:00' }
    await world.database.db
      .updateTable('campaign')
      .set({ calling_hours: JSON.stringify(hours) })
      .where('id', '=', campaignId)
      .execute()
    const waiting = await seedCall(world.deps, world.seed, number)
    expect(waiting.next_attempt_at).toBe('2026-05-04T16:00:00.000Z')
    await use('contact_update', { time_zone: 'America/Los_Angeles' })
    expect((await getCall(world.deps, world.seed, waiting.id)).next_attempt_at).toBe(
      '2026-05-04T19:00:00.000Z',
    )
  })
})

describe('the contact that a tool uses', () => {
  it('is the person on the call, whom the do_not_call tool adds to the do-not-call list', async () => {
    await use('do_not_call')
    expect((await use('contact_lookup')).text).toContain('Do not call: yes')
  })

  it("isn't changed on a test call, and the tool says so", async () => {
    const dry = { dryRun: true }
    expect((await use('contact_update', { last_name: 'Lopez' }, dry)).text).toMatch(/^Test call: nothing was/)
    expect((await use('contact_note', { text: 'A note' }, dry)).text).toMatch(/^Test call: nothing was/)
    expect((await use('do_not_call', {}, dry)).text).toMatch(/^Test call: nothing was/)
    const { text } = await use('contact_lookup')
    expect(text).not.toMatch(/Lopez|A note/)
    expect(text).toContain('Do not call: no')
  })

  it("must be passed if the session doesn't belong to a call", async () => {
    const withoutCall = { withoutCall: true }
    expect((await use('contact_lookup', {}, withoutCall)).isError).toBe(true)
    expect((await use('do_not_call', {}, withoutCall)).isError).toBe(true)
    await expect(use('contact_note', { text: 'A' }, withoutCall)).rejects.toThrow(
      "Pass the contact's phone_number",
    )
  })

  it("isn't found or changed if it belongs to another workspace", async () => {
    const seeded = await seedWorkspace(world.deps, 'Other')
    for (const [theirs, options] of [
      [{}, { seeded }],
      [{ phone_number: number }, { seeded, withoutCall: true }],
    ] as const) {
      expect((await use('contact_lookup', theirs, options)).text).toMatch(/^No contact found/)
      const updating = use('contact_update', { ...theirs, last_name: 'X' }, options)
      await expect(updating).rejects.toThrow('No contact found')
      const noting = use('contact_note', { ...theirs, text: 'X' }, options)
      await expect(noting).rejects.toThrow('No contact found')
    }
  })
})

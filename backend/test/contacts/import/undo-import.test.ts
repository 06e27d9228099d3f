import { beforeAll, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { emptyResult } from '../../../calling/dialer/attempt-result.ts'
import { finishAttempt } from '../../../calling/dialer/finish-attempt.ts'
import { dayMs } from '../../../platform/core/durations.ts'
import type { Worker } from '../../../platform/core/worker.ts'
import { eraseContact } from '../../../privacy/erase-contact.ts'
import { addToDoNotCallList } from '../../../queue/calls/do-not-call.ts'
import { addNote } from '../../../queue/contacts/contact-notes.ts'
import { leaseImports } from '../../../queue/contacts/import/import-store.ts'
import { undoImport } from '../../../queue/contacts/import/undo-import.ts'
import { updateContact } from '../../../queue/contacts/update-contact.ts'
import { completeDialedCall, dialCall, seedCall } from '../../support/calls.ts'
import { seedChat } from '../../support/chats.ts'
import { getStat, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'

type Owner = Awaited<ReturnType<typeof seedSignedInOwner>>

const { world, startWorker, waitUntilSettled, uploadAndCheck, importFile, undo } = useImportWorld()
let worker: Worker
beforeAll(() => {
  worker = startWorker()
})

const findContact = async ({ seed }: Owner, phoneNumber: string) =>
  world.database.db
    .selectFrom('contact')
    .selectAll()
    .where('workspace_id', '=', seed.workspaceId)
    .where('phone_number', '=', phoneNumber)
    .executeTakeFirst()

const findCallsTo = ({ seed }: Owner, contactId: number) =>
  world.database.db
    .selectFrom('call')
    .selectAll()
    .where('workspace_id', '=', seed.workspaceId)
    .where('contact_id', '=', contactId)
    .orderBy('id')
    .execute()

const number = '+12025570101'

const importedContact = async (user: Owner, phoneNumber = number) => {
  const contact = await findContact(user, phoneNumber)
  if (contact === undefined) throw new Error('the contact was not imported')
  const [call] = await findCallsTo(user, contact.id)
  return { contact, call }
}

const byMember = ({ seed }: Owner) => ({ kind: 'member', id: seed.userId }) as const

/** Changes to a new contact between its import and the undo. */
const newContacts: {
  what: string
  calls?: boolean
  touch?: (user: Owner) => Promise<unknown>
  stays: string | null
}[] = [
  { what: 'that has only the call of the import', stays: null },
  { what: 'that was only saved', calls: false, stays: null },
  {
    what: 'that was called',
    touch: async (user) => {
      const { call } = await importedContact(user)
      await completeDialedCall(world.service.deps, user.seed, call?.id ?? 0, emptyResult('busy', 'line_busy'))
    },
    stays: 'New contact, but already called',
  },
  {
    what: 'to whom a member queued a call',
    touch: async (user) => {
      const campaignId = await copyCampaign(user)
      await seedCall(world.service.deps, user.seed, number, { campaign_id: campaignId, first_name: 'Ann' })
    },
    stays: 'New contact, but something else queued a call',
  },
  {
    what: 'with a note',
    touch: async (user) => {
      const { contact } = await importedContact(user)
      const note = { callId: null, text: 'Prefers mornings' }
      await addNote(world.service.deps, user.seed.workspaceId, contact.id, note)
    },
    stays: 'New contact, but has a note',
  },
  {
    what: 'that was changed',
    touch: async (user) => {
      const { contact } = await importedContact(user)
      const { deps } = world.service
      await updateContact(deps, user.seed.workspaceId, contact.id, { email: 'a@example.com' }, byMember(user))
    },
    stays: 'New contact, but changed since the import',
  },
  {
    what: 'that someone put on the do-not-call list',
    touch: ({ seed }) => {
      const { deps } = world.service
      const entry = { phoneNumbers: [number], source: 'dashboard', now: deps.clock.now() } as const
      return world.database.db
        .transaction()
        .execute((db) => addToDoNotCallList({ ...deps, db }, seed.workspaceId, { ...entry, addedBy: null }))
    },
    stays: 'New contact, but put on the do-not-call list since the import',
  },
  {
    what: 'that is also in another file',
    touch: (user) =>
      importFile(user, `Phone,First name\n${number},Ann\n`, { calls: false, name: 'other.csv' }),
    stays: 'New contact, but also imported from another file',
  },
]

async function copyCampaign({ seed }: Owner): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into campaign (workspace_id, name, agent_id, phone_number_id, time_zone, calling_hours, max_concurrent_calls, retry)
    select workspace_id, 'Other', agent_id, phone_number_id, time_zone, calling_hours, max_concurrent_calls, retry
    from campaign where id = ${seed.campaignId}
    returning id`.execute(world.database.db)
  return rows[0]?.id ?? 0
}

it.each(newContacts)(
  'the undo removes a new contact, or keeps it and says why: a contact $what',
  async ({ calls, touch, stays }) => {
    const user = await seedSignedInOwner(world.service)
    const path = await importFile(user, `Phone,First name\n${number},Ann\n`, { calls })
    await touch?.(user)
    const page = await undo(user, path)
    expect(page.text).toMatch(/Import undone Undone by .+ at \d+:\d\d/)
    const contact = await findContact(user, number)
    if (stays === null) {
      expect(getStat(page.html)).toMatchObject({ 'Contacts removed': 1, 'Contacts left as they were': 0 })
      expect(contact).toBeUndefined()
    } else {
      expect(getStat(page.html)).toMatchObject({ 'Contacts removed': 0, [stays]: 1 })
      expect(contact?.first_name).toBe('Ann')
    }
  },
)

/** For each existing contact, its changes after the import, and the values that it must have after the undo. */
const existingContacts = [
  { what: "whose values haven't changed since", later: {}, after: { first_name: 'Old', email: null } },
  {
    what: 'whose name has changed since',
    later: { first_name: 'Latest' },
    after: { first_name: 'Latest', email: null },
  },
  {
    what: 'whose imported values have all changed since',
    later: { first_name: 'Latest', email: 'latest@example.com', variables: { roof: 'tin' } },
    after: { first_name: 'Latest', email: 'latest@example.com' },
  },
]

it.each(existingContacts)(
  'restores only the fields that still have their imported values: a contact $what',
  async ({ later, after }) => {
    const user = await seedSignedInOwner(world.service)
    const { deps } = world.service
    const before = { first_name: 'Old', variables: { roof: 'slate', plan: 'basic' } }
    const { contact } = await seedCall(deps, user.seed, number, before)
    const path = await importFile(user, `Phone,First name,Email,roof\n${number},New,new@example.com,wood\n`)
    if (Object.keys(later).length > 0)
      await updateContact(deps, user.seed.workspaceId, contact.id, later, byMember(user))
    const page = await undo(user, path)
    const keepsAll = 'variables' in later
    expect(getStat(page.html)).toMatchObject({
      'Contacts restored': keepsAll ? 0 : 1,
      'Contacts left as they were': keepsAll ? 1 : 0,
      'Calls canceled': 0,
    })
    expect(await findContact(user, number)).toMatchObject({
      ...after,
      variables: { roof: keepsAll ? 'tin' : 'slate', plan: 'basic' },
    })
    const history = await user.open(`/contacts/${contact.id}`)
    if (keepsAll) expect(history.text).not.toContain('Import undone')
    else expect(history.text).toMatch(/Import undone By .+, by undoing an import/)
  },
)

it('restores all parts of a consent together, and reschedules waiting calls for the restored time zone', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const consent = { source: 'Web form', at: '2026-01-02T03:04:05.000Z', kind: 'written' as const }
  const { id, contact } = await seedCall(deps, user.seed, number, { consent, time_zone: 'Asia/Tokyo' })
  const planned = async () => (await findCallsTo(user, contact.id)).find((call) => call.id === id)
  const first = await planned()
  const file = `Phone,Consent source,Consent date,Time zone\n${number},Fair,2026-02-03T00:00:00Z,America/Denver\n`
  const path = await importFile(user, file, { calls: false })
  expect(await findContact(user, number)).toMatchObject({
    consent_source: 'Fair',
    consent_kind: null,
    time_zone: 'America/Denver',
  })
  await undo(user, path)
  expect(await findContact(user, number)).toMatchObject({
    consent_source: 'Web form',
    consent_at: new Date(consent.at),
    consent_kind: 'written',
    time_zone: 'Asia/Tokyo',
  })
  expect((await planned())?.next_attempt_at).toEqual(first?.next_attempt_at)
})

it('removes the kind that the import added to a consent', async () => {
  const user = await seedSignedInOwner(world.service)
  const consent = { source: 'Web form', at: '2026-01-02T03:04:05.000Z' }
  await seedCall(world.service.deps, user.seed, number, { consent })
  const file = `Phone,Consent source,Consent date,Consent kind\n${number},${consent.source},${consent.at},signed\n`
  const path = await importFile(user, file, { calls: false })
  expect(await findContact(user, number)).toMatchObject({ consent_kind: 'written' })
  await undo(user, path)
  expect(await findContact(user, number)).toMatchObject({ consent_source: 'Web form', consent_kind: null })
})

it.each([
  ['the kind of the imported consent', { 'consent.kind': 'oral' }, 'Fair', 'oral'],
  ['the source, but not the kind', { 'consent.source': 'Letter' }, 'Letter', null],
])('leaves a consent as it is if someone has changed %s since the import', async (_, edit, source, kind) => {
  const user = await seedSignedInOwner(world.service)
  const consent = { source: 'Web form', at: '2026-01-02T03:04:05.000Z' }
  const { contact } = await seedCall(world.service.deps, user.seed, number, { consent })
  const file = `Phone,Consent source,Consent date\n${number},Fair,2026-01-02T03:04:05.000Z\n`
  const path = await importFile(user, file, { calls: false })
  await user.browser.press(await user.open(`/contacts/${contact.id}/edit`), 'Save', edit)
  const page = await undo(user, path)
  expect(getStat(page.html)).toMatchObject({ 'Contacts restored': 0, 'Contacts left as they were': 1 })
  expect(await findContact(user, number)).toMatchObject({ consent_source: source, consent_kind: kind })
})

it("cancels the import's waiting calls, creates their events, and erases the contacts that are removed", async () => {
  const user = await seedSignedInOwner(world.service)
  // No other test of this file has the number or the name.
  const zelda = '+12025570173'
  const path = await importFile(user, `Phone,First name,Email\n${zelda},Zelda,zelda@example.com\n`)
  const { contact } = await importedContact(user, zelda)
  const confirmation = await user.open(`${path}/undo`)
  expect(confirmation.text).toContain('1 waiting call will be canceled.')
  expect(confirmation.text).toContain('The import created 1 contact.')
  await undo(user, path)
  const [call] = await findCallsTo(user, contact.id)
  expect(call).toMatchObject({ status: 'completed', outcome: 'canceled', to_number: '' })
  const events = await world.database.db
    .selectFrom('event')
    .select('body')
    .where('call_id', '=', call?.id ?? 0)
    .execute()
  expect(events).toHaveLength(1)
  // No value that identifies the contact is left in any table.
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
  `.execute(world.database.db)
  for (const { name } of tables) {
    const { rows } = await sql`
      select from ${sql.table(name)} as row where row::text ~ ${`Zelda|zelda@|${zelda.slice(2)}`}`.execute(
      world.database.db,
    )
    expect({ name, found: rows.length }).toEqual({ name, found: 0 })
  }
  expect((await user.open(`/calls/${call?.id}`)).text).toMatch(/canceled by .+, by undoing an import/)
})

it("doesn't remove a number from the do-not-call list, even if the file put it there", async () => {
  const user = await seedSignedInOwner(world.service)
  const path = await importFile(user, `Phone,Do not call\n${number},yes\n`)
  await undo(user, path)
  expect(await findContact(user, number)).toBeUndefined()
  const entries = await world.database.db
    .selectFrom('do_not_call')
    .select('source')
    .where('workspace_id', '=', user.seed.workspaceId)
    .execute()
  expect(entries).toHaveLength(1)
  // The entry no longer refers to the import, so the pages must name both possibilities: a member or an import.
  const call = await seedCall(world.service.deps, user.seed, number)
  const callPage = await user.open(`/calls/${call.id}`)
  expect(callPage.text).toMatch(
    /It was put on the do-not-call list on .+ in the dashboard, by a member or an import\./,
  )
  const contactPage = await user.open(`/contacts/${call.contact.id}`)
  expect(contactPage.text).toContain('(added in Outdial, by a member or an import)')
})

it('counts a person who has two rows as one contact before the import, after the import, and after the undo', async () => {
  const user = await seedSignedInOwner(world.service)
  const rows = ['Phone,Do not call', '+12025570191,', '+12025570192,', '+12025570191,yes']
  const { path, page } = await uploadAndCheck(user, rows.join('\n'))
  expect(getStat(page.html)).toMatchObject({ 'New contacts': 2, Updates: 1, "Rows that say don't call": 1 })
  await user.browser.press(page, 'Import contacts', { campaign_id: '' })
  expect((await waitUntilSettled(user, path)).text).toContain('3 of 3 rows processed: 2 new, 1 updated.')
  const confirmation = await user.open(`${path}/undo`)
  expect(confirmation.text).toContain('No calls of this import are waiting.')
  expect(confirmation.text).toContain('The import created 2 contacts.')
  expect(confirmation.text).not.toContain('The import changed')
  expect(getStat((await undo(user, path)).html)).toMatchObject({
    'Contacts removed': 2,
    'Contacts restored': 0,
  })
})

it("doesn't cancel a call that is being dialed, but prevents further attempts", async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const path = await importFile(user, `Phone,First name\n${number},Ann\n`)
  const { call } = await importedContact(user)
  const attempt = await dialCall(deps, user.seed, call?.id ?? 0)
  expect((await user.open(`${path}/undo`)).text).toContain("1 call was already placed and can't be undone.")
  const page = await undo(user, path)
  expect(getStat(page.html)).toMatchObject({
    'Calls canceled': 0,
    'Calls already placed': 1,
    'New contact, but already called': 1,
  })
  // The campaign retries busy calls, but the undo prevents the retry, so the call is completed.
  expect(await finishAttempt(deps, attempt, emptyResult('busy', 'line_busy'))).toBe('completed')
  const ended = await importedContact(user)
  expect(ended.call).toMatchObject({ status: 'completed', outcome: 'busy', attempts: 1 })
  expect((await user.open(`/calls/${ended.call?.id}`)).text).not.toContain('canceled by')
})

it('if two files contain the same contact, undoing the first import keeps what the second one saved', async () => {
  const user = await seedSignedInOwner(world.service)
  const first = await importFile(user, `Phone,First name\n${number},Ann\n`, { name: 'first.csv' })
  const second = await importFile(user, `Phone,First name,Email\n${number},Anna,anna@example.com\n`, {
    name: 'second.csv',
  })
  const page = await undo(user, first)
  expect(getStat(page.html)).toMatchObject({
    'Calls canceled': 0,
    'Contacts removed': 0,
    'New contact, but something else queued a call': 1,
  })
  expect(await findContact(user, number)).toMatchObject({ first_name: 'Anna', email: 'anna@example.com' })
  const undone = await undo(user, second)
  expect(getStat(undone.html)).toMatchObject({ 'Calls canceled': 1, 'Contacts restored': 1 })
  expect(await findContact(user, number)).toMatchObject({ first_name: 'Ann', email: null })
})

it('if a process is lost during an undo, continues the undo, and cancels each call only once', async () => {
  const user = await seedSignedInOwner(world.service)
  const { db } = world.database
  const { deps } = world.service
  const rows = Array.from(
    { length: 230 },
    (_, index) => `+1202558${String(index).padStart(4, '0')},P${index}`,
  )
  const path = await importFile(user, ['Phone,Name', ...rows].join('\n'))
  await worker.stop()
  await user.browser.press(await user.open(`${path}/undo`), 'Undo import')
  const lease = async () => {
    await db.updateTable('contact_import').set({ lease_until: null }).execute()
    const [job] = await leaseImports(db, 1)
    if (job === undefined) throw new Error('no import to undo')
    return job
  }
  // Each process stops after two batches: two of calls, or one of calls and one of contacts.
  for (let process = 0; process < 4; process += 1) {
    const lost = await lease()
    let checks = 0
    const signal = { get aborted() { checks += 1; return checks > 2 } } as AbortSignal // prettier-ignore
    await undoImport(deps, lost, signal)
  }
  const stale = await lease()
  const current = await lease()
  await undoImport(deps, stale, new AbortController().signal)
  await undoImport(deps, current, new AbortController().signal)
  worker = startWorker()
  const page = await waitUntilSettled(user, path)
  expect(getStat(page.html)).toMatchObject({
    'Calls canceled': 230,
    'Contacts removed': 230,
    'Contacts left as they were': 0,
  })
  const events = await db
    .selectFrom('event')
    .select('call_id')
    .where('workspace_id', '=', user.seed.workspaceId)
    .execute()
  expect(new Set(events.map(({ call_id: id }) => id)).size).toBe(230)
  expect(events).toHaveLength(230)
}, 120_000)

it('if two people undo an import at the same time, undoes it only once', async () => {
  const user = await seedSignedInOwner(world.service)
  const path = await importFile(user, `Phone,First name\n${number},Ann\n`)
  const [one, other] = [await user.open(`${path}/undo`), await user.open(`${path}/undo`)]
  await Promise.all([user.browser.press(one, 'Undo import'), user.browser.press(other, 'Undo import')])
  const page = await waitUntilSettled(user, path)
  expect(getStat(page.html)).toMatchObject({ 'Calls canceled': 1, 'Contacts removed': 1 })
  const again = await user.open(`${path}/undo`)
  expect(again.text).toContain('This import was already undone.')
  expect(again.html).not.toContain('<button class="danger">')
  expect(page.html).not.toContain(`${path}/undo`)
})

it('while contacts are changed and erased, undoes an import without a deadlock, and keeps the changed contacts', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { workspaceId } = user.seed
  const rows = Array.from(
    { length: 120 },
    (_, index) => `+1202558${String(index).padStart(4, '0')},P${index}`,
  )
  const path = await importFile(user, ['Phone,Name', ...rows].join('\n'))
  const contacts = await world.database.db
    .selectFrom('contact')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .execute()
  const undoing = undo(user, path)
  const settled: PromiseSettledResult<unknown>[] = []
  // In groups of 8: if all were sent at once, the page would wait too long for one of the few connections.
  for (let first = 0; first < contacts.length; first += 8) {
    const edits = contacts
      .slice(first, first + 8)
      .map(({ id }, index) =>
        index % 2 === 0
          ? eraseContact(deps, workspaceId, id)
          : updateContact(deps, workspaceId, id, { email: 'later@example.com' }, byMember(user)),
      )
    settled.push(...(await Promise.allSettled(edits)))
  }
  const page = await undoing
  const errors = settled.flatMap((edit) => (edit.status === 'rejected' ? [String(edit.reason)] : []))
  // An edit can fail because its contact was already removed, but never because of a deadlock.
  expect(errors.filter((error) => /deadlock/i.test(error))).toEqual([])
  const stat = getStat(page.html)
  expect((stat['Contacts removed'] ?? 0) + (stat['Contacts left as they were'] ?? 0)).toBe(120)
  const remaining = await world.database.db
    .selectFrom('contact')
    .select('email')
    .where('workspace_id', '=', workspaceId)
    .where('erased_at', 'is', null)
    .execute()
  expect(remaining.every(({ email }) => email === 'later@example.com')).toBe(true)
  expect(remaining).toHaveLength(stat['New contact, but changed since the import'] ?? 0)
}, 120_000)

it('when the undo removes a contact, deletes the chats in which a member spoke for the contact', async () => {
  const user = await seedSignedInOwner(world.service)
  const path = await importFile(user, `Phone,First name\n${number},Ann\n`, { calls: false })
  const { contact } = await importedContact(user)
  await seedChat(world.service.deps, user.seed, { contactId: contact.id })
  const kept = await seedChat(world.service.deps, user.seed)
  expect(getStat((await undo(user, path)).html)).toMatchObject({ 'Contacts removed': 1 })
  const chats = await world.database.db
    .selectFrom('conversation')
    .select('id')
    .where('workspace_id', '=', user.seed.workspaceId)
    .execute()
  expect(chats).toEqual([{ id: kept }])
})

it('lets a user undo an import for 24 hours after it finishes, unless the file was discarded', async () => {
  const user = await seedSignedInOwner(world.service)
  const path = await importFile(user, `Phone,First name\n${number},Ann\n`, { calls: false })
  expect((await user.open(path)).text).toContain('You can undo this import until')
  const { db } = world.database
  const id = Number(path.split('/').at(-1))
  const long = new Date(world.service.deps.clock.now().getTime() + 7 * dayMs)
  const ago = new Date(world.service.deps.clock.now().getTime() - dayMs)
  const open = await user.open(`${path}/undo`)
  await db
    .updateTable('contact_import')
    .set({ finished_at: ago, expires_at: long })
    .where('id', '=', id)
    .execute()
  const { page: late } = await user.browser.press(open, 'Undo import')
  expect(late.text).toContain('An import can be undone for 24 hours after it finishes.')
  const page = await user.open(path)
  expect(page.text).toContain('An import can be undone for 24 hours after it finishes.')
  expect(page.html).not.toContain(`${path}/undo`)
  await user.browser.press(page, 'Discard file')
  expect((await user.open(`${path}/undo`)).status).toBe(404)
  expect(await findContact(user, number)).toBeDefined()
})

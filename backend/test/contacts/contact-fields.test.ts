import { describe, expect, it } from '@jest/globals'
import { AddContact, Contact } from '@outdial/contract'
import { sql } from 'kysely'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { pick, toRecord } from '../../platform/core/records.ts'
import { toErasedContact } from '../../platform/db/erased-contact.ts'
import {
  apiColumns,
  blankContact,
  contactColumns,
  textColumns,
} from '../../platform/db/tables/contact-fields.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { formatLocalTime } from '../../queue/scheduling/local-time.ts'
import { toolKinds } from '../../tools/kind-registry.ts'
import { completeDialedCall, dialCall, getCall, seedCall } from '../support/calls.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { freshNumber } from '../support/factories.ts'
import { useServiceWorld } from '../support/service.ts'

const world = useServiceWorld()

/**
 * The text that a user enters for each column, in the dashboard's form. It's `a COLUMN` for a column without a format.
 */
const entered = new Map<string, string>(contactColumns.map((column) => [column, `a ${column}`]))
entered.set('email', 'someone@example.com')
entered.set('time_zone', 'Asia/Tokyo')
entered.set('variables', 'roof = a variable')
entered.set('consent_at', '2026-05-01T09:30:00.000Z')
entered.set('consent_kind', 'written')

/** The value that people and agents see, if it differs from the entered text. */
const shown = new Map(entered)
shown.set('variables', 'a variable')
shown.set('consent_kind', 'Written')

const inputName = (column: string) => column.replace('consent_', 'consent.')

/** The row of a contact with all of these values. */
const enteredRow = {
  ...Object.fromEntries(entered),
  variables: { roof: 'a variable' },
  consent_at: new Date(entered.get('consent_at') ?? ''),
}

const readRow = (id: number) =>
  world.database.db
    .selectFrom('contact')
    .select(contactColumns)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

/** Seeds a contact that has only a phone number, and a call to it. */
async function seedContact() {
  const user = await seedSignedInOwner(world.service)
  const number = freshNumber()
  const { id: callId, contact } = await seedCall(world.service.deps, user.seed, number, { first_name: null })
  const { id } = contact
  return {
    ...user,
    id,
    number,
    callId,
    /** Enters a value in each field of the form. */
    saveForm: async () => {
      const values = Object.fromEntries([...entered].map(([column, value]) => [inputName(column), value]))
      await user.browser.press(await user.open(`/contacts/${id}/edit`), 'Save', values)
    },
  }
}

/** Returns the columns whose value isn't in the text. */
const findMissing = (text: string, columns: readonly string[]) =>
  columns.filter((column) => !text.includes(shown.get(column) ?? 'no value'))

describe('a field of a contact', () => {
  it('is listed in `contactColumns` unless the service sets it itself', async () => {
    const { rows } = await sql<{ name: string }>`
      select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = 'contact' and is_generated = 'NEVER'`.execute(
      world.database.db,
    )
    const written = [
      'id',
      'workspace_id',
      'phone_number',
      'created_at',
      'updated_at',
      'updated_by',
      'erased_at',
    ]
    expect(rows.map(({ name }) => name).toSorted()).toEqual([...written, ...contactColumns].toSorted())
  })

  it.each([
    ['AddContact', AddContact.shape],
    ['Contact', Contact.shape],
  ])('is in the schema %s', (_, shape) => {
    expect(Object.keys(shape)).toEqual(expect.arrayContaining([...apiColumns, 'consent']))
  })

  it('can be changed by agents', () => {
    const { properties } = toolKinds.get('contact_update')?.builtIn?.inputSchema as { properties: object }
    expect(Object.keys(properties)).toEqual(expect.arrayContaining([...apiColumns]))
  })

  it('has an input in the forms for new and existing contacts', async () => {
    const { id, open } = await seedContact()
    for (const path of ['/contacts/new', `/contacts/${id}/edit`]) {
      const { html } = await open(path)
      const missing = contactColumns.filter((column) => !html.includes(`name="${inputName(column)}"`))
      expect([path, missing]).toEqual([path, []])
    }
  })

  it('is saved when a call is queued, for a new and for a known contact', async () => {
    const { deps } = world.service
    const { id, number, seed } = await seedContact()
    const input = {
      ...toRecord(textColumns, (column) => entered.get(column) ?? ''),
      variables: enteredRow.variables,
      consent: {
        source: entered.get('consent_source') ?? '',
        at: entered.get('consent_at') ?? '',
        kind: 'written' as const,
      },
    }
    await seedCall(deps, seed, number, input)
    expect(await readRow(id)).toEqual(enteredRow)
    const { contact } = await seedCall(deps, seed, freshNumber(), input)
    expect(await readRow(contact.id)).toEqual(enteredRow)
  })

  it('is saved with the form, recorded in the history, shown on the page, returned to agents, and exported', async () => {
    const { id, number, seed, open, saveForm } = await seedContact()
    await saveForm()
    expect(await readRow(id)).toEqual(enteredRow)

    const change = await world.database.db
      .selectFrom('contact_change')
      .select('fields')
      .where('contact_id', '=', id)
      .where('kind', '=', 'updated')
      .executeTakeFirstOrThrow()
    expect(change.fields.toSorted()).toEqual(contactColumns.toSorted())

    const { deps } = world.service
    const localTime = formatLocalTime(deps.clock.now(), 'Asia/Tokyo')
    const { html } = await open(`/contacts/${id}`)
    // Leaves out the history, which also contains the values.
    const details =
      html.slice(html.indexOf('<h1'), html.indexOf('id="calls"')) + html.slice(html.indexOf('id="facts"'))
    expect(findMissing(details.replace(localTime, 'Asia/Tokyo'), contactColumns)).toEqual([])

    const lookup = toolKinds.get('contact_lookup')
    if (lookup?.builtIn === undefined) throw new Error('contact_lookup is built in')
    const { text } = await lookup.run(deps, {
      row: {
        id: 1,
        workspaceId: seed.workspaceId,
        version: 1,
        kind: 'contact_lookup',
        ...lookup.builtIn,
        settings: {},
        secrets: null,
      },
      toolName: 'contact_lookup',
      agentId: seed.agentId,
      config: {},
      args: { phone_number: number },
      call: undefined,
      chat: undefined,
      dryRun: false,
      signal: new AbortController().signal,
    })
    expect(findMissing(text.replace(localTime, 'Asia/Tokyo'), apiColumns)).toEqual([])

    const csv = await open('/contacts/export')
    expect(findMissing(csv.html.replace('written', 'Written'), contactColumns)).toEqual([])
  })

  it('keeps its value in a completed call when the contact changes, and is erased with the contact', async () => {
    const { id, callId, seed, saveForm } = await seedContact()
    const { deps } = world.service
    await dialCall(deps, seed, callId)
    await saveForm()
    await completeDialedCall(deps, seed, callId, emptyResult('busy', 'line_busy'))
    const changedLater = { ...blankContact, variables: '{}' }
    await world.database.db.updateTable('contact').set(changedLater).where('id', '=', id).execute()
    const { contact } = await getCall(deps, seed, callId)
    expect({
      ...contact,
      consent_source: contact.consent?.source,
      consent_at: contact.consent?.at,
      consent_kind: contact.consent?.kind,
    }).toMatchObject({
      ...Object.fromEntries(entered),
      variables: { roof: 'a variable' },
    })
    expect(toErasedContact(contact)).toMatchObject({ ...pick(blankContact, apiColumns), consent: null })

    await saveForm()
    await eraseContact(deps, seed.workspaceId, id)
    expect(await readRow(id)).toEqual(blankContact)
  })
})

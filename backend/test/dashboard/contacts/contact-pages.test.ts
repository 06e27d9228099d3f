// cspell:ignore okaf
import { describe, expect, it } from '@jest/globals'
import type { Page } from '../../../../support/browser.ts'
import { emptyResult } from '../../../calling/dialer/attempt-result.ts'
import { insertToolCall } from '../../../queue/calls/tool-call-store.ts'
import { completeDialedCall, dialCall, getCall, seedCall } from '../../support/calls.ts'
import { seedChat } from '../../support/chats.ts'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, openTab, seedSignedInOwner } from '../../support/dashboard.ts'
import { freshNumber } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

const links = (page: Page) =>
  [...page.html.matchAll(/href="[^"]*\/contacts\/(\d+)"/g)].map(([, id]) => Number(id))

/** Seeds a workspace with one contact and a waiting call to it. */
async function seedContact(input: Parameters<typeof seedCall>[3] = {}) {
  const user = await seedSignedInOwner(world.service)
  const call = await seedCall(world.service.deps, user.seed, freshNumber(), { last_name: 'Okafor', ...input })
  return { ...user, call, contactId: call.contact.id, contact: `/contacts/${call.contact.id}` }
}

describe('the contact list', () => {
  it('finds a contact by part of its name, email, or external ID, or by its phone number in any format', async () => {
    const { open, contactId, call, seed } = await seedContact({
      email: 'maya@Example.com',
      external_id: 'crm-2291',
    })
    const other = await seedCall(world.service.deps, seed, freshNumber(), {
      first_name: 'Ann',
      last_name: '50%',
    })
    const number = call.to_number
    const national = `(${number.slice(2, 5)}) ${number.slice(5, 8)}-${number.slice(8)}`
    for (const search of ['okaf', 'Okafor maya', 'MAYA@', 'crm-22', national, number, number.slice(8)]) {
      const page = await open(`/contacts?search=${encodeURIComponent(search)}`)
      expect([search, links(page)]).toEqual([search, [contactId]])
    }
    expect(links(await open('/contacts?search=%25'))).toEqual([other.contact.id])
    expect((await open('/contacts?search=nobody')).text).toContain('No matching contacts')
  })

  it('pages through contacts, newest first, in both directions', async () => {
    const { open, seed, browser, urlFor } = await seedSignedInOwner(world.service)
    const { workspaceId } = seed
    const rows = Array.from({ length: 120 }, (_, index) => ({
      workspace_id: workspaceId,
      phone_number: `+1202558${String(index).padStart(4, '0')}`,
    }))
    await world.database.db.insertInto('contact').values(rows).execute()
    const follow = async (page: Page, rel: string) => {
      const address = new RegExp(`href="([^"]*)" rel="${rel}"`).exec(page.html)?.[1]?.replaceAll('&amp;', '&')
      return address === undefined ? undefined : (await browser.open(new URL(address, urlFor('')).href)).page
    }
    const seen: number[][] = []
    let page: Page | undefined = await open('/contacts')
    let last = page
    for (; page !== undefined; page = await follow(page, 'next')) {
      seen.push(links(page))
      last = page
    }
    expect(seen.map((ids) => ids.length)).toEqual([50, 50, 20])
    expect(seen.flat()).toEqual(seen.flat().toSorted((a, b) => b - a))
    const back = await follow(last, 'prev')
    expect(back && links(back)).toEqual(seen[1])
    const first = back && (await follow(back, 'prev'))
    expect(first && links(first)).toEqual(seen[0])
    expect(first && (await follow(first, 'prev'))).toBeUndefined()
  })

  it('filters contacts by whether their numbers are on the do-not-call list', async () => {
    const { open, seed, contactId } = await seedContact()
    const suppressed = await seedCall(world.service.deps, seed, freshNumber(), { do_not_call: true })
    expect(links(await open('/contacts?list=do_not_call'))).toEqual([suppressed.contact.id])
    expect(links(await open('/contacts?list=callable'))).toEqual([contactId])
  })
})

describe('the contact form', () => {
  it('adds a new contact, and when its number is added again with a campaign, updates the contact and queues a call', async () => {
    const { browser, open, seed } = await seedSignedInOwner(world.service)
    const fields = {
      phone_number: '(202) 555-0141',
      first_name: 'Maya <i>',
      variables: 'product = Roof = slate\ncity=Ghent',
      'consent.source': 'Form',
      'consent.at': '2026-05-01 09:30',
    }
    const { page } = await browser.press(await open('/contacts/new'), 'Add contact', fields)
    expect(page.text).toContain('Contact added.')
    expect(page.html).toContain('Maya &lt;i&gt;')
    expect(page.text).toContain('Roof = slate')
    const savedContact = await world.database.db
      .selectFrom('contact')
      .selectAll()
      .where('workspace_id', '=', seed.workspaceId)
      .executeTakeFirstOrThrow()
    expect(savedContact).toMatchObject({
      phone_number: '+12025550141',
      variables: { product: 'Roof = slate', city: 'Ghent' },
      consent_at: new Date('2026-05-01T13:30:00Z'),
    })
    const again = { ...fields, campaign_id: String(seed.campaignId) }
    const { page: called } = await browser.press(await open('/contacts/new'), 'Add contact', again)
    expect(called.text).toContain('Contact updated. Call queued.')
    expect(called.text).toContain('Waiting')
  })

  it('shows each issue next to its field and keeps the entered values', async () => {
    const { browser, open } = await seedSignedInOwner(world.service)
    const { page } = await browser.press(await open('/contacts/new'), 'Add contact', {
      phone_number: '555',
      email: 'nobody',
      time_zone: 'Mars/Base',
      variables: 'product = x',
    })
    expect(page.status).toBe(422)
    for (const field of ['email', 'time_zone']) expect(page.html).toContain(`id="f-${field}-issue"`)
    expect(page.html).toContain('product = x')
    const { page: second } = await browser.press(await open('/contacts/new'), 'Add contact', {
      phone_number: '555',
      'consent.source': 'Form',
    })
    expect(second.html).toContain('id="f-consent-at-issue"')
    const { page: third } = await browser.press(await open('/contacts/new'), 'Add contact', {
      phone_number: '555',
    })
    expect(third.html).toMatch(/id="f-phone_number-issue">The phone number isn&#39;t valid/)
  })

  it('saves, shows, and clears the kind of consent', async () => {
    const { browser, open, contact, contactId } = await seedContact()
    const edit = async (fields: Record<string, string>) =>
      (await browser.press(await open(`${contact}/edit`), 'Save', fields)).page
    const readKind = async () =>
      (
        await world.database.db
          .selectFrom('contact')
          .select('consent_kind')
          .where('id', '=', contactId)
          .executeTakeFirstOrThrow()
      ).consent_kind
    const consent = { 'consent.source': 'Form', 'consent.at': '2026-05-01 09:30', 'consent.kind': 'written' }
    const saved = await edit(consent)
    expect(saved.text).toMatch(/Consent Form Written, May 1/)
    expect((await open(`${contact}/edit`)).html).toContain('<option value="written" selected>Written')
    // The form also sends the kind, so changing only the source doesn't change the kind.
    await edit({ 'consent.source': 'Fair' })
    expect(await readKind()).toBe('written')
    const cleared = await edit({ 'consent.kind': '' })
    expect(cleared.text).toMatch(/Consent Fair May 1/)
    expect(await readKind()).toBeNull()
    await edit({ 'consent.kind': 'oral' })
    expect(await readKind()).toBe('oral')
    await edit({ 'consent.source': '', 'consent.at': '', 'consent.kind': '' })
    expect(await readKind()).toBeNull()
  })

  it('when a contact is added again without a kind of consent, keeps the old kind only if the source and date are unchanged', async () => {
    const { browser, open } = await seedSignedInOwner(world.service)
    const fields = {
      phone_number: '(202) 555-0143',
      'consent.source': 'Form',
      'consent.at': '2026-05-01 09:30',
    }
    const addAgain = async (changes: Record<string, string>) =>
      (await browser.press(await open('/contacts/new'), 'Add contact', { ...fields, ...changes })).page.text
    expect(await addAgain({ 'consent.kind': 'written' })).toMatch(/Consent Form Written, May 1/)
    expect(await addAgain({})).toMatch(/Consent Form Written, May 1/)
    expect(await addAgain({ 'consent.source': 'Fair' })).toMatch(/Consent Fair May 1/)
  })

  it('if a kind of consent has no source and date, rejects it, and shows issues next to those fields', async () => {
    const { browser, open } = await seedSignedInOwner(world.service)
    const { page } = await browser.press(await open('/contacts/new'), 'Add contact', {
      phone_number: '(202) 555-0144',
      'consent.kind': 'oral',
    })
    expect(page.status).toBe(422)
    expect(page.html).toContain(
      'id="f-consent-source-issue">Enter the consent source, or clear the consent kind.',
    )
    expect(page.html).toContain('id="f-consent-at-issue">Enter the consent date, or clear the consent kind.')
    expect(page.html).toContain('<option value="oral" selected>Oral')
    const { page: unknown } = await browser.press(await open('/contacts/new'), 'Add contact', {
      phone_number: '(202) 555-0144',
      'consent.kind': 'web',
    })
    expect(unknown.html).toContain('id="f-consent-kind-issue"')
  })

  it('shows an issue next to a consent date in the future, for a new and for an existing contact', async () => {
    const { browser, open, contact } = await seedContact()
    const fields = { 'consent.source': 'Form', 'consent.at': '2030-05-01' }
    for (const [path, button] of [
      ['/contacts/new', 'Add contact'],
      [`${contact}/edit`, 'Save'],
    ] as const) {
      const { page } = await browser.press(await open(path), button, {
        ...(button === 'Add contact' && { phone_number: '(202) 555-0142' }),
        ...fields,
      })
      expect(page.status).toBe(422)
      expect(page.html).toMatch(/id="f-consent-at-issue">The consent date is in the future\./)
    }
  })

  it('clears fields that are left blank when a contact is edited', async () => {
    const { browser, open, contact, contactId } = await seedContact({
      email: 'maya@example.com',
      variables: { product: 'Roof', city: 'Ghent' },
    })
    const { page } = await browser.press(await open(`${contact}/edit`), 'Save', {
      email: '',
      variables: 'city = Bruges',
      time_zone: 'Europe/Brussels',
    })
    expect(page.text).toContain('Contact saved.')
    const row = await world.database.db
      .selectFrom('contact')
      .selectAll()
      .where('id', '=', contactId)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      first_name: 'Maya',
      email: null,
      variables: { city: 'Bruges' },
      time_zone: 'Europe/Brussels',
    })
    expect(page.text).toContain('Europe/Brussels')
  })
})

describe('a form that queues a call', () => {
  it("doesn't queue a second call to a contact in the same campaign, unless it's a test call", async () => {
    const { browser, open, contact, seed, call } = await seedContact()
    const form = await open(`${contact}/call`)
    const campaign = { campaign_id: String(seed.campaignId) }
    // The contact already has a call in this campaign, so the page queues none and doesn't ask for confirmation.
    const { page } = await browser.press(form, 'Call now', campaign)
    expect(page.text).toContain(
      'already has a call that is waiting or in progress in this campaign, so no call was queued',
    )
    const { page: test } = await browser.press(await open(`${contact}/call`), 'Call now', {
      ...campaign,
      test: 'yes',
    })
    expect(test.text).toContain('Test call queued. No phone rings.')
    const calls = await world.database.db
      .selectFrom('call')
      .select(['id', 'test'])
      .where('contact_id', '=', call.contact.id)
      .orderBy('id')
      .execute()
    expect(calls.map((queued) => queued.test)).toEqual([false, true])
  })

  it("doesn't queue a call to a number on the do-not-call list, and says so", async () => {
    const { browser, open, contact, contactId, seed } = await seedContact()
    const form = await open(`${contact}/add-to-campaign`)
    await browser.press(await open(contact), 'Add to list', { reason: 'Asked by email' })
    const { page } = await browser.press(form, 'Add to campaign', {
      campaign_id: String(seed.campaignId),
    })
    expect(page.status).toBe(422)
    expect(page.text).toContain('No call was queued, because this number is on the do-not-call list.')
    const calls = await world.database.db
      .selectFrom('call')
      .select('outcome')
      .where('contact_id', '=', contactId)
      .execute()
    expect(calls).toEqual([{ outcome: 'suppressed' }])
  })

  it("reads the earliest call time in the workspace's time zone, and rejects a time that a clock change skips", async () => {
    const { browser, open, seed, contact, call } = await seedContact()
    await world.database.db
      .updateTable('call')
      .set({ status: 'completed', outcome: 'canceled', next_attempt_at: null })
      .where('id', '=', call.id)
      .execute()
    const add = async (at: string) =>
      browser.press(await open(`${contact}/add-to-campaign`), 'Add to campaign', {
        campaign_id: String(seed.campaignId),
        scheduled_at: at,
      })
    const { page: skipped } = await add('2027-03-14T02:30')
    expect(skipped.status).toBe(422)
    expect(skipped.html).toMatch(/id="f-scheduled_at-issue">[^<]*skip this time/)
    const { page: far } = await add('2028-01-01T10:00')
    expect(far.html).toMatch(/id="f-scheduled_at-issue">[^<]*one year ahead/)
    // Clocks are set back that night, so this time occurs twice. The first one, in daylight saving time, is used.
    const { page } = await add('2026-11-01T01:30')
    expect(page.text).toContain('Call queued. Scheduled for Nov 1, 1:30 AM.')
    const planned = await world.database.db
      .selectFrom('call')
      .select('scheduled_at')
      .where('contact_id', '=', call.contact.id)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    expect(planned.scheduled_at).toEqual(new Date('2026-11-01T05:30:00Z'))
  })
})

describe('the do-not-call list', () => {
  it('saves the reason when a number is added, and shows who later removed the number and why', async () => {
    const { browser, open, contact, seed, call } = await seedContact()
    const { page: suppressed } = await browser.press(await open(contact), 'Add to list', {
      reason: 'Asked by email',
    })
    expect(suppressed.text).toMatch(
      /on the do-not-call list since .* \(added by Robin\)\. Reason: Asked by email/,
    )
    expect(await getCall(world.service.deps, seed, call.id)).toMatchObject({ outcome: 'suppressed' })
    const { page: silent } = await browser.press(suppressed, 'Remove from list', { reason: '' })
    expect(silent.text).toContain('Reason is required.')
    const { page: back } = await browser.press(suppressed, 'Remove from list', {
      reason: 'Signed a new form',
    })
    expect(back.text).toContain('The number was removed from the do-not-call list')
    expect(back.text).toContain('Signed a new form')
    expect(back.text).toContain('Robin')
    expect(back.html).toContain('>Call now<')
  })

  it('accepts a number that no contact has, and says whether a number is on the list', async () => {
    const { browser, open } = await seedSignedInOwner(world.service)
    const { page } = await browser.press(await open('/contacts/do-not-call'), 'Add to list', {
      phone_number: '202 555 0149',
      reason: 'Wrong number',
    })
    expect(page.text).toContain('The number is now on the do-not-call list')
    const lookup = await open(`/contacts/do-not-call?number=${encodeURIComponent('+1 (202) 555-0149')}`)
    expect(lookup.text).toContain('+12025550149 has been on the do-not-call list')
    expect(lookup.text).toContain('Wrong number')
    expect((await open('/contacts/do-not-call?number=2025550150')).text).toContain(
      'is not on the do-not-call list',
    )
    expect((await open('/contacts/do-not-call?number=12')).html).toContain('id="number-issue"')
    const { page: off } = await browser.press(lookup, 'Remove number', { reason: 'Mistake' })
    expect(off.text).toContain('was removed from the do-not-call list')
  })
})

describe('the contact page', () => {
  it("rejects a note that's too long, but keeps its text in the form", async () => {
    const { browser, open, contact } = await seedContact()
    const { html } = await open(contact)
    expect(html).not.toMatch(/name="text"[^>]*maxlength/)
    const { page } = await browser.press(await open(contact), 'Add note', { text: 'x'.repeat(2_001) })
    expect(page.status).toBe(422)
    expect(page.text).toContain('This field is too long. Use at most 2000 characters.')
    expect(page.html).toContain('x'.repeat(2_001))
    expect((await open(contact)).text).toContain('No notes yet.')
  })

  it('saves a note', async () => {
    const { browser, open, contact } = await seedContact()
    const { page } = await browser.press(await open(contact), 'Add note', { text: 'Prefers <mornings>' })
    expect(page.html).toContain('Prefers &lt;mornings&gt;')
  })

  it("neither shows nor changes another workspace's contact", async () => {
    const theirs = await seedContact()
    const mine = await seedContact()
    for (const path of ['', '/edit', '/call', '/add-to-campaign', '/erase']) {
      expect((await mine.open(`${theirs.contact}${path}`)).status).toBe(404)
    }
    const ownPage = await mine.open(mine.contact)
    const forged = {
      ...ownPage,
      html: ownPage.html.replaceAll(`/contacts/${mine.contactId}/`, `/contacts/${theirs.contactId}/`),
    }
    const ownErasure = await mine.open(`${mine.contact}/erase`)
    const forgedErasure = { ...ownErasure, url: mine.urlFor(`${theirs.contact}/erase`) }
    const confirmation = theirs.call.to_number
    const { page } = await mine.browser.press(forgedErasure, 'Erase permanently', { confirmation })
    expect(page.status).toBe(404)
    const forbiddenActions: [string, Record<string, string>][] = [
      ['Add to list', { reason: 'x' }],
      ['Add note', { text: 'x' }],
    ]
    for (const [button, fields] of forbiddenActions) {
      expect((await mine.browser.press(forged, button, fields)).page.status).toBe(404)
    }
    expect(await getCall(world.service.deps, theirs.seed, theirs.call.id)).toMatchObject({ status: 'queued' })
  })

  it("erases a contact, which is then no longer listed and can't be called", async () => {
    const { browser, open, contact, contactId, seed } = await seedContact()
    const form = await open(`${contact}/call`)
    const confirmation = await open(`${contact}/erase`)
    expect(confirmation.text).toContain('It also deletes the conversations of 1 call.')
    expect(confirmation.text).toContain('1 waiting call will be canceled.')
    const { page } = await browser.press(confirmation, 'Erase permanently', { confirmation: 'maya okafor ' })
    expect(page.text).toContain('This contact was erased at ')
    expect(page.text).not.toContain('Okafor')
    expect(links(await open('/contacts'))).not.toContain(contactId)
    const sent = await browser.press(form, 'Call now', { campaign_id: String(seed.campaignId) })
    expect(sent.page.status).toBe(404)
    expect((await open(`${contact}/edit`)).status).toBe(404)
    expect((await open(`${contact}/erase`)).status).toBe(404)
  })

  it('shows what will be erased with a contact, and erases nothing if that has changed since or the typed number is wrong', async () => {
    const { browser, open, contact, contactId, seed, call } = await seedContact()
    await browser.press(await open(contact), 'Add note', { text: 'Likes mornings' })
    await browser.press(await open(`${contact}/edit`), 'Save', { first_name: 'Mia' })
    const { db } = world.database
    const number = call.to_number
    await db
      .insertInto('spreadsheet')
      .values({ id: `leads-${contactId}`, workspace_id: seed.workspaceId, name: 'Leads', columns: ['a'] })
      .execute()
    await db
      .insertInto('spreadsheet_row')
      .values(
        [`call ${number}`, 'another'].map((cell) => ({
          ...{ workspace_id: seed.workspaceId, spreadsheet_id: `leads-${contactId}` },
          cells: [cell],
        })),
      )
      .execute()
    await completeDialedCall(world.service.deps, seed, call.id, emptyResult('busy', 'line_busy'))
    const other = await seedCall(world.service.deps, seed, freshNumber())
    const attempt = await dialCall(world.service.deps, seed, other.id)
    for (const result of [`Found ${number}.`, 'Nothing was found.']) {
      await insertToolCall(db, seed.workspaceId, {
        ...{
          of: { callId: other.id, attemptId: attempt.id },
          toolName: 'contact_lookup',
          arguments: '{}',
          result,
        },
        ...{ isError: false, dryRun: false, startedAt: world.service.deps.clock.now(), durationMs: 5 },
      })
    }
    const form = await open(`${contact}/erase`)
    expect(form.text).toContain('notes, variables, conversations, or metadata of other contacts mention')
    expect(form.text).toContain(
      'It also deletes the conversations of 1 call, 1 tool call, 1 note, the values of 1 change in the history, ' +
        'and the matching cells of 1 spreadsheet row.',
    )
    for (const wrong of ['', 'Maya Okafor', number.slice(0, -1)]) {
      const { page } = await browser.press(form, 'Erase permanently', { confirmation: wrong })
      expect([page.status, page.text]).toEqual([422, expect.stringContaining(`Type “${number}”.`)])
      expect(page.html).toContain(`value="${wrong}"`)
    }
    await browser.press(await open(contact), 'Add note', { text: 'Call later' })
    const typed = { confirmation: ` ${number.slice(0, 2)} (${number.slice(2, 5)}) ${number.slice(5)}` }
    const { page: outdated } = await browser.press(form, 'Erase permanently', typed)
    expect(outdated.text).toContain('Nothing was erased.')
    expect(outdated.text).toContain('2 notes')
    await seedChat(world.service.deps, seed, { contactId })
    const { page: again } = await browser.press(outdated, 'Erase permanently', typed)
    expect(again.text).toMatch(/Nothing was erased\..*1 chat with an agent/)
    const { page } = await browser.press(again, 'Erase permanently', typed)
    expect(page.text).toContain('This contact was erased')
  })
})

itInChromium(
  'updates the calls on the contact page without a reload, and keeps the note that the user is typing',
  async (chromium) => {
    const user = await seedContact()
    const tab = await openTab(world.service, chromium, user)
    await tab.goto(user.urlFor(user.contact))
    await tab.getByLabel('New note').fill('Half a no')
    await dialCall(world.service.deps, user.seed, user.call.id)
    await tab.getByText('Dialing').waitFor()
    await completeDialedCall(world.service.deps, user.seed, user.call.id, emptyResult('busy', 'line_busy'))
    await tab.getByText('Busy').waitFor()
    expect(await tab.locator('#live').getAttribute('hx-get')).toBeNull()
    expect(await tab.getByLabel('New note').inputValue()).toBe('Half a no')
  },
)

itInChromium(
  'moves the focus into a dialog when it opens, and back to the button when it closes',
  async (chromium) => {
    const user = await seedContact()
    const tab = await openTab(world.service, chromium, user)
    await tab.goto(user.urlFor(user.contact))
    const trigger = tab.getByRole('button', { name: 'Add to do-not-call list' })
    await trigger.press('Enter')
    await tab.getByRole('dialog').getByLabel('Reason').and(tab.locator(':focus')).waitFor()
    await tab.keyboard.press('Escape')
    await trigger.and(tab.locator(':focus')).waitFor()
    await tab.goto(user.urlFor(`/calls/${user.call.id}`))
    await tab.getByRole('button', { name: 'Cancel call' }).press('Enter')
    await tab.getByRole('dialog').getByRole('button').first().and(tab.locator(':focus')).waitFor()
  },
)

itInChromium(
  'lets the user find a contact, put its number on the do-not-call list, and erase it in the browser, on accessible pages',
  async (chromium) => {
    const user = await seedContact({ email: 'maya@example.com', variables: { product: 'Roof' } })
    await seedCall(world.service.deps, user.seed, freshNumber(), { first_name: 'Ann' })
    const tab = await openTab(world.service, chromium, user)
    const consoleErrors: string[] = []
    tab.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
    await tab.goto(user.urlFor('/contacts'))
    await expectAccessible(tab)
    await tab.getByLabel('Search').pressSequentially('okaf')
    await tab.getByRole('row').filter({ hasText: 'Ann' }).waitFor({ state: 'detached' })
    await tab.waitForURL((url) => url.searchParams.get('search') === 'okaf')
    await tab.getByRole('link', { name: 'Maya Okafor' }).click()
    await expectAccessible(tab)
    await tab.getByRole('button', { name: 'Add to do-not-call list' }).click()
    await tab.getByRole('dialog').getByLabel('Reason').fill('Requested by phone')
    await tab.getByRole('dialog').getByRole('button', { name: 'Add to list' }).click()
    await tab.getByText('Reason: Requested by phone').waitFor()
    await expectAccessible(tab)
    await tab.goto(user.urlFor('/contacts/do-not-call?number=12'))
    await expectAccessible(tab)
    await tab.goto(user.urlFor('/contacts/new'))
    await tab.getByLabel('Phone number').fill('555')
    await tab.getByRole('button', { name: 'Add contact' }).click()
    await tab.locator('.issue', { hasText: "The phone number isn't valid" }).waitFor()
    await expectAccessible(tab)
    await tab.goto(user.urlFor(`${user.contact}/add-to-campaign`))
    await expectAccessible(tab)
    for (const path of ['/edit', '/call']) {
      await tab.goto(user.urlFor(`${user.contact}${path}`))
      await expectAccessible(tab)
    }
    await tab.goto(user.urlFor(user.contact))
    await tab.getByRole('link', { name: 'Erase contact' }).click()
    await expectAccessible(tab)
    await tab.getByLabel('to confirm').fill('Maya Okafor')
    await tab.getByRole('button', { name: 'Erase permanently' }).click()
    await tab.getByText('This contact was erased').waitFor()
    await expectAccessible(tab)
    expect(consoleErrors.filter((text) => !text.includes('422'))).toEqual([])
  },
)

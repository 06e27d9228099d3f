// cspell:ignore Mayall ångs
import { expect, it } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { createApiKey } from '../../../accounts/identity/api-keys.ts'
import { emptyResult } from '../../../calling/dialer/attempt-result.ts'
import { completeDialedCall, createCallSeeder } from '../../support/calls.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { seedCampaign } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'
import { createSender } from '../../support/test-api.ts'
import { waitFor } from '../../support/wait.ts'

const world = useServiceWorld()
const seedCallFor = createCallSeeder(world)

/** Returns the IDs of the calls on a page, in order. */
const listedIds = ({ html }: { html: string }) =>
  [...html.matchAll(/<tr id="call-(\d+)"/g)].map(([, id]) => Number(id))

it('if there are no calls yet, links to the form for a new contact', async () => {
  const { open } = await seedSignedInOwner(world.service)
  const page = await open('/calls')
  expect(page.text).toContain('No calls yet.')
  expect(page.html).toMatch(/href="[^"]*\/contacts\/new"/)
})

it('lists calls, newest first, and says that a scheduled call waits for its time', async () => {
  const user = await seedSignedInOwner(world.service)
  const first = await seedCallFor(user, { first_name: 'Maya', last_name: '<i>Li</i>' })
  const second = await seedCallFor(user, { scheduled_at: '2026-05-06T13:00:00Z' })
  const page = await user.open('/calls')
  expect(listedIds(page)).toEqual([second.id, first.id])
  expect(page.html).toContain('Maya &lt;i&gt;Li&lt;/i&gt;')
  expect(page.text).toContain('Scheduled time, not before Wed 9:00 AM')
})

it("shows a completed call with the contact's old name after the contact was renamed", async () => {
  const user = await seedSignedInOwner(world.service)
  const call = await seedCallFor(user, { first_name: 'Maya' })
  await completeDialedCall(world.service.deps, user.seed, call.id, emptyResult('busy', 'line_busy'))
  await world.database.db
    .updateTable('contact')
    .set({ first_name: 'Mia' })
    .where('id', '=', call.contact.id)
    .execute()
  expect((await user.open('/calls')).html).toContain(`/calls/${call.id}">Maya</a>`)
  expect((await user.open('/calls/export')).html).toContain('Maya')
  expect((await user.open(`/calls/${call.id}`)).html).toContain('<h1>Maya</h1>')
  expect((await user.open(`/contacts/${call.contact.id}`)).html).toContain('<h1>Mia</h1>')
})

it("finds calls by request ID, by event ID, and by the contact's external ID", async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { key } = await createApiKey(deps, user.seed.workspaceId, user.userId, 'Website')
  const response = await createSender(
    world.service.app,
    key,
  )({
    ...{ method: 'POST', path: '/contacts/', headers: { 'x-request-id': '4711' } },
    body: { phone_number: '+12025570011', campaign_id: user.seed.campaignId },
  })
  const { id: requested } = response.json<{ call: { id: number } }>().call
  const completed = await seedCallFor(user, { external_id: 'lead 0815' })
  await completeDialedCall(deps, user.seed, completed.id, emptyResult('busy', 'line_busy'))
  const foreign = await seedSignedInOwner(world.service)
  const event = await deps.db
    .selectFrom('event')
    .select('id')
    .where('call_id', '=', completed.id)
    .executeTakeFirstOrThrow()
  const found = async (search: string, { open } = user) =>
    listedIds(await open(`/calls?${new URLSearchParams({ search }).toString()}`))

  await waitFor(
    async () => (await found('4711')).length > 0,
    () => deps.clock.advance(1_000),
  )
  expect(await found('4711')).toEqual([requested])
  expect(await found(event.id)).toEqual([completed.id])
  expect(await found('lead 0815')).toEqual([completed.id])
  expect(await found('lead 081')).toEqual([])
  for (const search of ['4711', event.id, 'lead 0815']) expect(await found(search, foreign)).toEqual([])
})

it('when the user searches for the ID of a rejected request, which has no call, links to the request in the API log', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { key } = await createApiKey(deps, user.seed.workspaceId, user.userId, 'Website')
  await createSender(
    world.service.app,
    key,
  )({
    ...{ method: 'POST', path: '/contacts/', headers: { 'x-request-id': 'rejected-1' } },
    body: { phone_number: '12', campaign_id: user.seed.campaignId },
  })
  await waitFor(
    async () => (await user.open('/calls?search=rejected-1')).text.includes('The API log has a request'),
    () => deps.clock.advance(1_000),
  )

  const page = await user.open('/calls?search=rejected-1')
  expect(page.text).toContain('No matching calls.')
  const [, address = ''] = /href="\/w\/\d+(\/[^"]+)">Show request</.exec(page.html) ?? []
  const log = await user.open(address)
  expect(log.text).toContain('rejected-1')
  expect(log.text).toContain('Rejected with validation_failed')

  const { text } = await user.open('/calls?search=never-sent')
  expect(text).toContain('No matching calls.')
  expect(text).not.toContain('The API log has a request')
})

it('finds calls by the start of a name, a phone number in any format, or the ID', async () => {
  const user = await seedSignedInOwner(world.service)
  const maya = await seedCallFor(user, { first_name: 'Maya', last_name: 'Ångström' }, '+12025570001')
  const noor = await seedCallFor(user, { first_name: 'Noor', last_name: 'Mayall' }, '+12025570002')
  const found = async (search: string) =>
    listedIds(await user.open(`/calls?${new URLSearchParams({ search }).toString()}`))
  expect(await found('may')).toEqual([noor.id, maya.id])
  expect(await found('MAYA ångs')).toEqual([maya.id])
  expect(await found('(202) 557-0002')).toEqual([noor.id])
  expect(await found('tel:+1-202-557-0002')).toEqual([noor.id])
  expect(await found('202 557')).toEqual([noor.id, maya.id])
  expect(await found(`#${maya.id}`)).toEqual([maya.id])
  expect(await found('%')).toEqual([])
  expect(await found('nobody')).toEqual([])
})

it('filters the list by status, outcome, campaign, agent, type, and day', async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed } = user
  const campaignId = await seedCampaign(world.service.deps, { ...seed, name: 'Other' })
  const plain = await seedCallFor(user)
  const test = await seedCallFor(user, { test: true })
  const other = await seedCallFor(user, { campaign_id: campaignId })
  const old = await seedCallFor(user)
  await completeDialedCall(world.service.deps, seed, old.id, emptyResult('busy', 'line_busy'))
  await world.database.db
    .updateTable('call')
    .set({ queued_at: new Date('2026-05-03T03:59:59Z') }) // 23:59:59 on May 2 in New York
    .where('id', '=', old.id)
    .execute()
  const found = async (query: string) => listedIds(await user.open(`/calls?${query}`))
  expect(await found('status=completed')).toEqual([old.id])
  expect(await found('outcome=busy')).toEqual([old.id])
  expect(await found('outcome=answered')).toEqual([])
  expect(await found(`campaign=${campaignId}`)).toEqual([other.id])
  expect(await found(`agent=${seed.agentId}&kind=real`)).toEqual([old.id, other.id, plain.id])
  expect(await found('kind=test')).toEqual([test.id])
  expect(await found('from=2026-05-02&to=2026-05-02')).toEqual([old.id])
  expect(await found('from=2026-05-03&kind=real')).toEqual([other.id, plain.id])
  expect(await found('status=&outcome=nonsense&campaign=x&from=yesterday')).toHaveLength(4)
})

it("says which filters in the URL are ignored because they aren't valid, even after the list refreshes", async () => {
  const user = await seedSignedInOwner(world.service)
  const call = await seedCallFor(user)
  const page = await user.open('/calls?status=bogus&from=2026-13-45&kind=real&outcome=')
  const hint = "Ignored, because the URL has a value that isn't valid: Status, Queued on or after."
  expect(page.text).toContain(hint)
  expect(listedIds(page)).toEqual([call.id])
  const live = /id="live"[^>]*hx-get="([^"]*)"/.exec(page.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  expect((await user.browser.open(new URL(live, world.service.url).href)).page.text).toContain(hint)
  expect((await user.open('/calls?kind=real')).text).not.toContain('Ignored')
})

it('links a call back to the filtered list from which it was opened', async () => {
  const user = await seedSignedInOwner(world.service)
  const call = await seedCallFor(user, { first_name: 'Maya' })
  const follow = async ({ html }: { html: string }, pattern: RegExp) => {
    const address = pattern.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    return (await user.browser.open(new URL(address, world.service.url).href)).page
  }
  const toCall = new RegExp(`href="([^"]*/calls/${call.id}[^"]*)"`)
  const toCalls = /class="crumb" href="([^"]*)"/
  const shown = await follow(await user.open('/calls?search=maya&status=queued'), toCall)
  expect(shown.text).toContain('Call #')
  const list = await follow(shown, toCalls)
  expect(new URL(list.url).search).toBe('?search=maya&status=queued')
  expect(listedIds(list)).toEqual([call.id])
  expect(new URL((await follow(await user.open(`/calls/${call.id}`), toCalls)).url).search).toBe('')
})

it('lets the user page through a long list of calls and back', async () => {
  const user = await seedSignedInOwner(world.service)
  const ids: number[] = []
  for (let count = 0; count < 120; count += 1) ids.unshift((await seedCallFor(user)).id)
  const first = await user.open('/calls')
  expect(listedIds(first)).toEqual(ids.slice(0, 50))
  const follow = async (html: string, rel: string) => {
    const address = new RegExp(`href="([^"]*)" rel="${rel}"`).exec(html)?.[1] ?? ''
    const { page } = await user.browser.open(
      new URL(address.replaceAll('&amp;', '&'), world.service.url).href,
    )
    return page
  }
  const second = await follow(first.html, 'next')
  const third = await follow(second.html, 'next')
  expect([...listedIds(second), ...listedIds(third)]).toEqual(ids.slice(50))
  expect(third.html).not.toContain('rel="next"')
  expect(listedIds(await follow(third.html, 'prev'))).toEqual(ids.slice(50, 100))
  const again = await follow(second.html, 'prev')
  expect(listedIds(again)).toEqual(ids.slice(0, 50))
})

it('pages through the calls in a date range in the order in which they were queued, starting with the latest', async () => {
  const user = await seedSignedInOwner(world.service)
  const ids: number[] = []
  for (let count = 0; count < 60; count += 1) ids.push((await seedCallFor(user)).id)
  // Calls with higher IDs were queued earlier. Each group of three was queued at the same time.
  await sql`update call set queued_at = timestamptz '2026-05-03T12:00:00Z' - (id - ${ids[0]}::bigint) / 3 * interval '1 minute'
    where workspace_id = ${user.seed.workspaceId}`.execute(world.database.db)
  const threes = Map.groupBy(ids, (id) => Math.floor((id - (ids[0] ?? 0)) / 3))
  const inOrder = [...threes.values()].flatMap((three) => three.reverse())
  const first = await user.open('/calls?from=2026-05-01&to=2026-05-03')
  const next = /href="([^"]*)" rel="next"/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const { page: second } = await user.browser.open(new URL(next, world.service.url).href)
  expect([...listedIds(first), ...listedIds(second)]).toEqual(inOrder)
})

it('when the list refreshes, links to newer calls instead of inserting them', async () => {
  const user = await seedSignedInOwner(world.service)
  const first = await seedCallFor(user)
  const page = await user.open('/calls')
  const live = /id="live"[^>]*hx-get="([^"]*)"/.exec(page.html)?.[1] ?? ''
  const second = await seedCallFor(user)
  const { page: later } = await user.browser.open(new URL(live, world.service.url).href)
  expect(listedIds(later)).toEqual([first.id])
  expect(later.text).toContain('Show 1 newer call')
  expect(listedIds(await user.open('/calls'))).toEqual([second.id, first.id])
})

it('exports the filtered list as CSV with formulas escaped', async () => {
  const user = await seedSignedInOwner(world.service)
  await seedCallFor(user, { first_name: '=SUM(A1)', last_name: 'a "b", c', metadata: { form: 'x' } })
  await seedCallFor(user, { first_name: 'Noor', test: true })
  const page = await user.open('/calls/export?kind=real')
  expect(page.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(page.headers.get('content-disposition')).toBe('attachment; filename="calls.csv"')
  const rows: Record<string, string>[] = parse(page.html, { columns: true })
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({
    status: 'queued',
    test: 'false',
    first_name: "'=SUM(A1)",
    last_name: 'a "b", c',
    metadata: '{"form":"x"}',
  })
})

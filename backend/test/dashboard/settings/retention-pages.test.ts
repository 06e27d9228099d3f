import { beforeEach, expect, it } from '@jest/globals'
import type { Page } from '../../../../support/browser.ts'
import { startRetention } from '../../../privacy/retention.ts'
import { createCallSeeder } from '../../support/calls.ts'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, openTab, seedSignedInMember, seedSignedInOwner } from '../../support/dashboard.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()
const queueCall = createCallSeeder(world)
const dayMs = 86_400_000

let user: Awaited<ReturnType<typeof seedSignedInOwner>>
beforeEach(async () => {
  user = await seedSignedInOwner(world.service, 'Acme  Roofs')
})

/** Creates a completed call with a conversation that ended this many days ago. */
async function seedConversation(daysAgo: number): Promise<number> {
  const { id } = await queueCall(user)
  const endedAt = new Date(world.service.deps.clock.now().getTime() - daysAgo * dayMs)
  await world.database.db
    .updateTable('call')
    .set({
      ...{ status: 'completed', outcome: 'answered', ended_at: endedAt, next_attempt_at: null },
      summary: 'They talked.',
    })
    .where('id', '=', id)
    .execute()
  return id
}

const getRetention = () =>
  world.database.db
    .selectFrom('workspace')
    .select(['retention_days as days', 'pending_retention_days as pending'])
    .where('id', '=', user.seed.workspaceId)
    .executeTakeFirstOrThrow()

/** Submits the form for the number of days. */
const submitDays = async (retention_days: string): Promise<Page> =>
  (await user.browser.press(await user.open('/settings/retention'), 'Save', { retention_days })).page

const confirm = async (page: Page, confirmation = 'Acme Roofs'): Promise<Page> =>
  (await user.browser.press(page, 'Shorten retention', { confirmation })).page

/** Runs the job once, and returns the calls that still have a summary. */
async function eraseOldConversations(): Promise<number[]> {
  const { clock } = world.service.deps
  const job = startRetention(world.service.deps)
  while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
  await job.stop()
  const rows = await world.database.db
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', user.seed.workspaceId)
    .where('summary', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

it('shows how many calls lose their conversation if the retention is shortened, and erases exactly those after 24 hours', async () => {
  const recent = await seedConversation(28.5)
  await seedConversation(29.5)
  await seedConversation(400)
  const shown = await submitDays('30')
  expect(shown.text).toContain('permanently deletes the conversations of 2 calls')
  expect(await getRetention()).toEqual({ days: null, pending: null })

  const saved = await confirm(shown, ' acme ROOFS ')
  expect(saved.text).toMatch(/From .+, conversations older than 30 days are erased \(2 calls now\)/)
  expect((await user.open('/overview')).text).toContain('older than 30 days are erased (2 calls now)')
  expect(await getRetention()).toEqual({ days: null, pending: 30 })

  world.service.deps.clock.advance(dayMs - 1)
  expect(await eraseOldConversations()).toHaveLength(3)
  world.service.deps.clock.advance(1)
  expect(await eraseOldConversations()).toEqual([recent])
  const settings = await user.open('/settings')
  expect(settings.text).toContain('Outdial keeps conversations for 30 days after the call.')
  expect(settings.text).not.toContain('Undo')
})

it('keeps every conversation if a shorter retention is undone in time', async () => {
  await seedConversation(400)
  const saved = await confirm(await submitDays('1'))
  const tooLate = await user.open('/settings')
  const { page } = await user.browser.press(saved, 'Undo')
  expect(page.text).toContain('Undone.')
  expect(page.text).not.toContain('older than')
  world.service.deps.clock.advance(2 * dayMs)
  expect(await eraseOldConversations()).toHaveLength(1)
  const { page: rejected } = await user.browser.press(tooLate, 'Undo')
  expect(rejected.text).toContain('There is nothing to undo.')
})

it("doesn't undo a retention that already took effect", async () => {
  const saved = await confirm(await submitDays('20'))
  world.service.deps.clock.advance(dayMs)
  const { page } = await user.browser.press(saved, 'Undo')
  expect(page.text).toContain('There is nothing to undo.')
  expect(page.text).toContain('Outdial keeps conversations for 20 days after the call.')
})

it('if the confirmation text is wrong, changes nothing, and keeps the form', async () => {
  const shown = await submitDays('30')
  for (const wrong of ['', 'Acme', 'Acme Roofs 2']) {
    const page = await confirm(shown, wrong)
    expect(page.status).toBe(422)
    expect(page.html).toContain('id="f-confirmation-issue"')
    expect(page.text).toContain("This doesn't match. Type “Acme Roofs”.")
    expect(page.html).toContain(`value="${wrong}"`)
    expect(page.text).toContain('the conversations of 0 calls')
  }
  expect(await getRetention()).toEqual({ days: null, pending: null })
})

it('applies a longer retention at once, and cancels a pending shorter one', async () => {
  await confirm(await submitDays('30'))
  world.service.deps.clock.advance(dayMs)
  await confirm(await submitDays('10'))
  expect(await getRetention()).toEqual({ days: 30, pending: 10 })
  expect((await submitDays('60')).text).toContain('Conversation retention saved.')
  expect(await getRetention()).toEqual({ days: 60, pending: null })
  expect((await submitDays('')).text).toContain('Outdial keeps conversations forever.')
  expect(await getRetention()).toEqual({ days: null, pending: null })
})

it("rejects a shorter retention if it's no longer shorter than the current one when the user confirms it", async () => {
  const shown = await submitDays('30')
  await confirm(await submitDays('20'))
  world.service.deps.clock.advance(dayMs)
  const page = await confirm(shown)
  expect([page.status, page.text]).toEqual([422, expect.stringContaining("isn't shorter")])
  expect((await user.open('/settings/retention/shorten?days=many')).text).toContain("isn't shorter")
})

it.each([
  ['0', 'from 1 to 3650'],
  ['2.5', 'whole number of days'],
  ['long', 'whole number of days'],
])('shows an issue if the number of days is %s', async (days, message) => {
  const page = await submitDays(days)
  expect(page.status).toBe(422)
  expect(page.html).toMatch(new RegExp(`id="f-retention_days-issue">[^<]*${message}`))
})

it('shows members a pending retention, but lets only owners undo it', async () => {
  await confirm(await submitDays('30'))
  const member = await seedSignedInMember(world.service, user.seed.workspaceId, 'member')
  const { text } = await member.open('/settings')
  expect(text).toContain('older than 30 days are erased')
  expect(text).not.toContain('Undo')
  expect((await member.open('/settings/retention')).status).toBe(403)
})

itInChromium(
  'lets the user shorten the retention and undo the change in the browser, on accessible pages',
  async (chromium) => {
    await seedConversation(400)
    const tab = await openTab(world.service, chromium, user)
    await tab.goto(user.urlFor('/settings'))
    await tab.getByRole('link', { name: 'Change retention' }).click()
    await expectAccessible(tab)
    await tab.getByLabel('Days to keep conversations').fill('30')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('the conversation of 1 call').waitFor()
    await expectAccessible(tab)
    await tab.getByLabel('to confirm').fill('acme')
    await tab.getByRole('button', { name: 'Shorten retention' }).click()
    await tab.locator('.issue', { hasText: "This doesn't match" }).waitFor()
    await expectAccessible(tab)
    await tab.getByLabel('to confirm').fill('acme roofs')
    await tab.getByRole('button', { name: 'Shorten retention' }).click()
    await tab.getByText('(1 call now)').waitFor()
    await expectAccessible(tab)
    await tab.getByRole('button', { name: 'Undo' }).click()
    await tab.getByText('Undone.').waitFor()
  },
)

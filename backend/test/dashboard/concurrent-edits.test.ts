import { expect, it } from '@jest/globals'
import { addContact } from '../../queue/contacts/add-contact.ts'
import { addDocument } from '../../tools/knowledge/documents.ts'
import { addHttpTool } from '../../tools/save-http-tool.ts'
import { toCaller } from '../support/calls.ts'
import { useOwnerWorld } from '../support/dashboard.ts'
import { freshNumber } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'

const { world, user } = useOwnerWorld()

const tool = {
  name: 'find_city',
  description: 'Finds a city.',
  inputSchema: { type: 'object' as const, properties: {} },
  method: 'GET' as const,
  url: 'https://cities.example.com/',
}
/** In each row: the edited object, how to get the form's path, our changed field, and another user's changed field. */
const forms: [string, () => Promise<string>, string, string][] = [
  [
    'a document',
    async () => {
      const { id } = await addDocument(world.service.deps, user.seed.workspaceId, {
        title: 'Prices',
        body: 'Ten.',
      })
      return `/knowledge/${id}/edit`
    },
    'title',
    'body',
  ],
  [
    'a contact',
    async () => {
      const contact = { phone_number: freshNumber(), first_name: 'Maya' }
      const added = await addContact(world.service.deps, toCaller(user.seed), contact)
      return `/contacts/${added.contact.id}/edit`
    },
    'first_name',
    'external_id',
  ],
  ['a campaign', async () => `/campaigns/${user.seed.campaignId}/edit`, 'name', 'max_concurrent_calls'],
  ['an agent', async () => `/agents/${user.seed.agentId}/edit`, 'name', 'greeting'],
  ['the settings', async () => '/settings', 'name', 'time_zone'],
  [
    'a tool',
    async () => `/tools/${(await addHttpTool(world.service.deps, user.seed.workspaceId, tool)).id}/edit-http`,
    'description',
    'url',
  ],
]
const values: Record<string, string> = {
  max_concurrent_calls: '7',
  time_zone: 'Europe/Oslo',
  url: 'https://cities.example.com/7',
}

it.each(forms)("doesn't silently overwrite another user's change to %s", async (_, prepare, mine, theirs) => {
  const { browser, open } = user
  const path = await prepare()
  const [form, other] = [await open(path), await open(path)]
  const value = values[theirs] ?? 'Theirs'
  const { page: done } = await browser.press(other, 'Save', { [theirs]: value })
  expect(done.status).toBe(200)

  const { page: rejected } = await browser.press(form, 'Save', { [mine]: 'Mine' })
  expect([rejected.status, rejected.text]).toEqual([
    422,
    expect.stringContaining('Someone else changed this'),
  ])
  expect(rejected.html).toContain('Mine')
  const reopened = await open(path)
  expect(reopened.html).toContain(value)
  expect(reopened.html).not.toContain('"Mine"')

  const { page: saved } = await browser.press(rejected, 'Save')
  expect(saved.status).toBe(200)
  expect((await open(path)).html).toContain('Mine')
})

it("saves a form even if a value that isn't in the form has changed since the form was opened", async () => {
  const { browser, open } = user
  const path = `/agents/${user.seed.agentId}/edit`
  const form = await open(path)
  await world.database.db
    .updateTable('agent')
    .set({ status: 'paused' })
    .where('id', '=', user.seed.agentId)
    .execute()
  const { page } = await browser.press(form, 'Save', { name: 'Bea' })
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('Agent saved.')])
})

it('rejects the second of two changes that are saved at the same time', async () => {
  const { browser, open, seed } = user
  const path = `/agents/${seed.agentId}/edit`
  const opened = [await open(path), await open(path)]
  const { db } = world.service.deps
  const saving = await db.transaction().execute(async (tx) => {
    await tx.selectFrom('agent').select('id').where('id', '=', seed.agentId).forUpdate().execute()
    const saves = opened.map((form, index) => browser.press(form, 'Save', { name: `Change ${index}` }))
    await waitForLockWaiters(world.database.db, saves.length)
    return { saves }
  })
  const saved = await Promise.all(saving.saves)
  expect(saved.map(({ page }) => page.status).toSorted()).toEqual([200, 422])
})

import { beforeAll, expect, it } from '@jest/globals'
import { createApiKey } from '../../../accounts/identity/api-keys.ts'
import { cancelCall } from '../../../queue/calls/cancel-call.ts'
import { seedCall, toCaller } from '../../support/calls.ts'
import { getStat, useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { waitForLockWaiters } from '../../support/locks.ts'
import { createSender } from '../../support/test-api.ts'

// Undoing an import also keeps contacts that something else has used since.

type Owner = Awaited<ReturnType<typeof seedSignedInOwner>>

const { world, startWorker, importFile, undo, listContacts } = useImportWorld()
beforeAll(() => {
  startWorker()
})

const [ann, bob] = ['+12025570141', '+12025570142']
const file = `Phone,First name\n${ann},Ann\n${bob},Bob\n`

async function addContactByApi({ seed }: Owner, phoneNumber: string) {
  const { key } = await createApiKey(world.service.deps, seed.workspaceId, seed.userId, 'Test')
  const body = { phone_number: phoneNumber, campaign_id: seed.campaignId }
  const path = '/contacts/'
  return createSender(world.service.app, key)({ method: 'POST', path, body })
}

const listCalls = ({ seed }: Owner) =>
  world.database.db
    .selectFrom('call')
    .innerJoin('contact', 'contact.id', 'call.contact_id')
    .select(['call.id', 'contact.phone_number as phoneNumber', 'call.status', 'contact_id as contactId'])
    .where('call.workspace_id', '=', seed.workspaceId)
    .orderBy('call.id')
    .execute()

const listNumbers = async (user: Owner) =>
  (await listContacts(user)).filter(({ erased_at: at }) => at === null).map((contact) => contact.phone_number)

const findCallTo = async (user: Owner, phoneNumber: string) => {
  const call = (await listCalls(user)).find((found) => found.phoneNumber === phoneNumber)
  if (call === undefined) throw new Error(`${phoneNumber} has no call`)
  return call
}

/** Requests that find the import's waiting call, and change nothing about the contact. */
const requests: { what: string; send: (user: Owner) => Promise<unknown> }[] = [
  {
    what: 'the API',
    send: async (user) => {
      const response = await addContactByApi(user, ann)
      expect(response.statusCode).toBe(200)
      expect(response.json()).toMatchObject({ call_queued: false, call: { status: 'queued' } })
    },
  },
  {
    what: 'a form',
    send: async ({ seed }) => seedCall(world.service.deps, seed, ann, { first_name: 'Ann' }),
  },
  {
    what: '“Add to campaign”',
    send: async (user) => {
      const { contactId } = await findCallTo(user, ann)
      const form = await user.open(`/contacts/${contactId}/add-to-campaign`)
      const campaign = { campaign_id: String(user.seed.campaignId) }
      const { page } = await user.browser.press(form, 'Add to campaign', campaign)
      expect(page.text).toContain('already has a call that is waiting')
    },
  },
]

it.each(requests)(
  'if $what also asked for a call, undoing the import keeps the call and its contact',
  async ({ send }) => {
    const user = await seedSignedInOwner(world.service)
    const path = await importFile(user, file)
    await send(user)
    expect((await user.open(`${path}/undo`)).text).toContain('1 waiting call will be canceled.')
    expect(getStat((await undo(user, path)).html)).toMatchObject({
      'Calls canceled': 1,
      'Contacts removed': 1,
      'New contact, but something else queued a call': 1,
    })
    expect(await listNumbers(user)).toEqual([ann])
    expect(await findCallTo(user, ann)).toMatchObject({ status: 'queued' })
  },
)

it('if the waiting call that a request would return is being canceled, the request queues a new call', async () => {
  const user = await seedSignedInOwner(world.service)
  await importFile(user, file)
  const { id } = await findCallTo(user, ann)
  const { deps } = world.service
  let sent: ReturnType<typeof addContactByApi> | undefined
  await deps.db.transaction().execute(async (db) => {
    await cancelCall({ ...deps, db }, toCaller(user.seed), id)
    sent = addContactByApi(user, ann)
    await waitForLockWaiters(deps.db)
  })
  const response = await sent
  expect(response?.statusCode).toBe(201)
  expect(response?.json()).toMatchObject({ call_queued: true, call: { status: 'queued' } })
})

it('if API requests ask for calls while an import is being undone, keeps those calls and their contacts', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const numbers = Array.from({ length: 120 }, (_, index) => `+1202558${String(index).padStart(4, '0')}`)
  const path = await importFile(user, ['Phone', ...numbers].join('\n'))
  const { key } = await createApiKey(deps, user.seed.workspaceId, user.seed.userId, 'Test')
  const send = createSender(world.service.app, key)
  const undoing = undo(user, path)
  const responses = await Promise.all(
    numbers.map((phoneNumber) => {
      const body = { phone_number: phoneNumber, campaign_id: user.seed.campaignId }
      return send({ method: 'POST', path: '/contacts/', body })
    }),
  )
  await undoing
  expect(responses.every(({ statusCode }) => [200, 201].includes(statusCode))).toBe(true)
  const queued = (await listCalls(user)).filter(({ status }) => status === 'queued')
  expect(queued.map((call) => call.phoneNumber).sort()).toEqual(numbers)
  expect(await listNumbers(user)).toEqual(numbers)
}, 120_000)

it('if two files asked for the same call, keeps the call until both imports are undone', async () => {
  const user = await seedSignedInOwner(world.service)
  const first = await importFile(user, file, { name: 'first.csv' })
  const second = await importFile(user, `Phone\n${ann}\n`, { name: 'second.csv' })
  expect(getStat((await undo(user, first)).html)).toMatchObject({
    'Calls canceled': 1,
    'Contacts removed': 1,
    'New contact, but something else queued a call': 1,
  })
  expect(await findCallTo(user, ann)).toMatchObject({ status: 'queued' })
  expect(getStat((await undo(user, second)).html)).toMatchObject({ 'Calls canceled': 1 })
  expect(await findCallTo(user, ann)).toMatchObject({ status: 'completed' })
})

it('if a file was imported twice and the second import is undone first, undoing the first import cancels the calls', async () => {
  const user = await seedSignedInOwner(world.service)
  const first = await importFile(user, file, { name: 'first.csv' })
  const second = await importFile(user, file, { name: 'second.csv' })
  expect(getStat((await undo(user, second)).html)).toMatchObject({ 'Calls canceled': 0 })
  expect(await findCallTo(user, ann)).toMatchObject({ status: 'queued' })
  expect(getStat((await undo(user, first)).html)).toMatchObject({
    'Calls canceled': 2,
    'Contacts removed': 2,
  })
})

it.each<Record<string, string>>([{}, { first_name: 'Ann' }])(
  'keeps a contact that someone saved in the form after the import, even if no field changed: %j',
  async (fields) => {
    const user = await seedSignedInOwner(world.service)
    const path = await importFile(user, file, { calls: false })
    const form = await user.open('/contacts/new')
    const { page } = await user.browser.press(form, 'Add contact', { phone_number: ann, ...fields })
    expect(page.text).toContain('A contact with this phone number already existed')
    expect(getStat((await undo(user, path)).html)).toMatchObject({
      'Contacts removed': 1,
      'New contact, but changed since the import': 1,
    })
    expect(await listNumbers(user)).toEqual([ann])
  },
)

it('if two rows of a file changed a contact, restores the values from before the first of the two rows', async () => {
  const user = await seedSignedInOwner(world.service)
  const before = { first_name: 'Original', variables: { roof: 'slate' } }
  await seedCall(world.service.deps, user.seed, ann, before)
  const rows = [
    'Phone,First name,Email,Roof,Do not call',
    `${ann},Bob,b@example.com,wood,`,
    `${ann},Robert,,tin,Yes`,
  ]
  const path = await importFile(user, rows.join('\n'), { calls: false })
  expect(await listContacts(user)).toMatchObject([{ email: 'b@example.com' }])
  expect(getStat((await undo(user, path)).html)).toMatchObject({ 'Contacts restored': 1 })
  expect(await listContacts(user)).toMatchObject([{ ...before, email: null }])
})

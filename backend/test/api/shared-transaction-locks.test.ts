import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { createApp } from '../../app.ts'
import { connect } from '../../platform/db/connect.ts'
import { roles } from '../../platform/db/roles.ts'
import type { Db } from '../../platform/db/schema.ts'
import { addContact } from '../../queue/contacts/add-contact.ts'
import { toCaller } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { doNotCallKey } from '../support/database.ts'
import { freshNumber, seedCampaign } from '../support/factories.ts'
import { lockQueue, waitForLockWaiters } from '../support/locks.ts'
import { useObservedApi } from '../support/observed-api.ts'
import { createRewritingDatabase } from '../support/rewriting-database.ts'
import { createSender } from '../support/test-api.ts'
import { waitForValue } from '../support/wait.ts'

// If a `POST /contacts/` waits for a lock, it must not delay the requests that share its transaction.

const { api, post, postToOther, add, observe } = useObservedApi()
const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }

/** Claims all calls, so that their campaigns leave the queue. */
async function claimAll(): Promise<void> {
  while ((await claimAndSettle(api.deps, lease, 50)).length > 0);
}

/** Returns true for a statement that locks a campaign. A request sends it only if it runs alone. */
const isAlone = (statement: string) => statement.endsWith('for key share of "campaign"')

const getStatuses = async (responses: ReturnType<typeof post>[]) =>
  (await Promise.all(responses)).map(({ statusCode }) => statusCode)

it('if another transaction is creating a contact, delays only the request with that contact', async () => {
  const caller = toCaller(api.seed)
  const created = freshNumber()
  const known = freshNumber()
  await add({ phone_number: known })
  let delayed: ReturnType<typeof post> | undefined
  await api.deps.db.transaction().execute(async (db) => {
    const tx = { ...api.deps, db }
    await addContact(tx, caller, { phone_number: created })
    const first = post({})
    delayed = post({ phone_number: created })
    const neighbors = [first, post({ phone_number: known }), ...Array.from({ length: 5 }, () => post({}))]
    expect(await getStatuses(neighbors)).toEqual([201, 200, 201, 201, 201, 201, 201])
    await waitForLockWaiters(api.deps.db)
    // An import continues with the next number. If the waiting request had locked this contact, both would wait for each other.
    await addContact(tx, caller, { phone_number: known })
  })
  const response = await delayed
  expect([response?.statusCode, response?.json()]).toMatchObject([201, { contact_created: false }])
})

it('if another process stores a response for the idempotency key while a request waits to run alone, returns that response', async () => {
  const { db } = api.deps
  const lockContact = (tx: Db, id: number) =>
    tx.selectFrom('contact').select('id').where('id', '=', id).forUpdate().execute()
  const [first, second, third] = [await add({}), await add({}), await add({})].map(({ contact }) => contact)
  if (!first || !second || !third) throw new Error('a contact is missing')
  const postTo = (send: typeof post, { phone_number }: typeof first, key: string) =>
    send({ phone_number, if_already_queued: 'queue' }, { headers: { 'idempotency-key': key } })
  const pending: ReturnType<typeof post>[] = []
  const stored = await db.transaction().execute(async (tx) => {
    await lockContact(tx, first.id)
    await lockContact(tx, second.id)
    // At most two requests of a workspace run alone at a time, so the third one waits for its turn, without locks.
    pending.push(postTo(post, first, 'first'), postTo(post, second, 'second'))
    await waitForLockWaiters(db, 2)
    await db.transaction().execute(async (other) => {
      await lockContact(other, third.id)
      await observe(async (sent) => {
        pending.push(postTo(post, third, 'third'))
        await waitForValue(sent, (texts) => {
          const index = texts.findIndex((text) => text.includes('lock_contacts'))
          return index >= 0 && texts.includes('commit', index)
        })
      })
    })
    // The key is in use until the database has received the commit.
    const send = () => postTo(postToOther, third, 'third')
    return waitForValue(send, ({ statusCode }) => statusCode !== 409)
  })
  expect([stored.statusCode, stored.headers['idempotent-replayed']]).toEqual([201, undefined])
  const [firstResponse, secondResponse, replayed] = await Promise.all(pending)
  expect([firstResponse?.statusCode, secondResponse?.statusCode]).toEqual([201, 201])
  expect(replayed?.headers['idempotent-replayed']).toBe('true')
  expect(replayed?.json()).toEqual(stored.json())
})

it('if another transaction has locked the queue of a campaign, delays only the requests of that campaign', async () => {
  const locked = await seedCampaign(api.deps, api.seed)
  const { delayed } = await lockQueue(api.deps.db, locked, async () => {
    const waiting = post({ campaign_id: locked })
    await waitForLockWaiters(api.deps.db)
    // These requests arrive while the first one waits for the lock.
    expect(await getStatuses([post({}), post({}), post({})])).toEqual([201, 201, 201])
    return { delayed: waiting }
  })
  expect((await delayed).statusCode).toBe(201)
})

it('handles requests in a shared transaction, even if they arrive while a dialer claims the calls of their campaign', async () => {
  const campaign_id = await seedCampaign(api.deps, api.seed)
  await claimAll()
  await add({ campaign_id })
  let statuses: number[] = []
  const sent = await observe(async () => {
    const { requests } = await api.deps.db.transaction().execute(async (db) => {
      expect(await claimAndSettle({ ...api.deps, db }, lease, 50)).toHaveLength(1)
      const pending = [post({ campaign_id }), post({ campaign_id }), post({ campaign_id })]
      await waitForLockWaiters(api.deps.db)
      return { requests: pending }
    })
    statuses = await getStatuses(requests)
  })
  expect(statuses).toEqual([201, 201, 201])
  expect(sent.filter(isAlone)).toEqual([])
  expect(await claimAndSettle(api.deps, lease, 50)).toHaveLength(3)
})

it("queues a call in a campaign while a slow worker hasn't committed its claim of the only other call", async () => {
  const campaign_id = await seedCampaign(api.deps, api.seed)
  await claimAll()
  await add({ campaign_id })
  const slow = createRewritingDatabase(api.url, (text) =>
    text === 'commit' ? 'select pg_advisory_xact_lock(0); commit' : text,
  )
  const { claim } = await api.deps.db.transaction().execute(async (db) => {
    await sql`select pg_advisory_xact_lock(0)`.execute(db)
    const claiming = claimAndSettle({ ...api.deps, db: slow }, lease, 50)
    await waitForLockWaiters(api.deps.db)
    expect((await post({ campaign_id })).statusCode).toBe(201)
    return { claim: claiming }
  })
  expect(await claim).toHaveLength(1)
  await slow.destroy()
  expect(await claimAndSettle(api.deps, lease, 50)).toHaveLength(1)
})

it('queues calls of several campaigns in the same order in each transaction, so that transactions never deadlock', async () => {
  const { db } = api.deps
  const seedNext = () => seedCampaign(api.deps, { ...api.seed, maxConcurrentCalls: 50 })
  const [locked, otherLocked, first, second] = [
    await seedNext(),
    await seedNext(),
    await seedNext(),
    await seedNext(),
  ]
  for (const campaign_id of [locked, otherLocked, first, second]) {
    await post({ campaign_id })
    await postToOther({ campaign_id })
  }
  await claimAll()
  let statuses: number[] = []
  const sent = await observe(async () => {
    const { requests } = await db.transaction().execute(async (tx) => {
      await sql`select from campaign_queue where campaign_id = ${first} for update`.execute(tx)
      const started = await lockQueue(db, otherLocked, async () => {
        const ours = await lockQueue(db, locked, async () => {
          // Each instance's next transaction handles the requests that arrive during its first transaction.
          const firstRequest = post({ campaign_id: locked })
          const otherRequest = postToOther({ campaign_id: otherLocked })
          await waitForLockWaiters(db, 2)
          const next = [post({ campaign_id: first }), post({ campaign_id: second })]
          const otherNext = [postToOther({ campaign_id: second }), postToOther({ campaign_id: first })]
          // After this invalid request has been rejected, the requests sent before it are waiting.
          await Promise.all([post({ phone_number: 0 }), postToOther({ phone_number: 0 })])
          return { firstRequest, otherRequest, pending: [...next, ...otherNext] }
        })
        await ours.firstRequest
        await waitForLockWaiters(db, 2)
        return ours
      })
      await started.otherRequest
      await waitForLockWaiters(db, 2)
      return { requests: started.pending }
    })
    statuses = await getStatuses(requests)
  })
  expect(statuses).toEqual([201, 201, 201, 201])
  expect(sent.filter(isAlone)).toEqual([])
})

it('never deadlocks if two processes change time zones, opt contacts out, and queue calls in the same three campaigns', async () => {
  const campaigns = [
    await seedCampaign(api.deps, api.seed),
    await seedCampaign(api.deps, api.seed),
    await seedCampaign(api.deps, api.seed),
  ]
  const numbers = Array.from({ length: 6 }, () => freshNumber())
  for (const campaign_id of campaigns)
    for (const phone_number of numbers) await add({ phone_number, campaign_id })
  const zones = ['Asia/Tokyo', 'Europe/Paris', 'America/New_York']
  for (let round = 0; round < 12; round += 1) {
    const requests = numbers.flatMap((phone_number, index) => {
      const campaign_id = campaigns[(round + index) % 3]
      const send = (round + index) % 2 === 0 ? post : postToOther
      const time_zone = zones[(round + 2 * index) % 3]
      return [
        send({ phone_number, campaign_id, time_zone, if_already_queued: 'queue' }),
        send({ phone_number: freshNumber(), campaign_id, do_not_call: index === 0 }),
      ]
    })
    expect(new Set(await getStatuses(requests))).toEqual(new Set([201]))
  }
})

it('leaves database connections free for other work while the transactions of several workspaces wait', async () => {
  const others = [
    await api.seedOtherWorkspace(),
    await api.seedOtherWorkspace(),
    await api.seedOtherWorkspace(),
  ]
  const [waiting, queued, reading] = others
  if (!waiting || !queued || !reading) throw new Error('a workspace is missing')
  const db = connect({ url: api.url, role: roles.service, max: 4, doNotCallKey })
  const app = await createApp({ ...api.deps, db })
  const send = createSender(app, api.key)
  const postIn = ({ seed, key }: typeof waiting) =>
    send({
      method: 'POST',
      path: '/contacts/',
      body: { phone_number: freshNumber(), campaign_id: seed.campaignId },
      key,
    })
  const { pending } = await lockQueue(api.deps.db, waiting.seed.campaignId, () =>
    lockQueue(api.deps.db, queued.seed.campaignId, async () => {
      const requests = [postIn(waiting), postIn(queued)]
      await waitForLockWaiters(api.deps.db)
      expect((await send({ path: '/agents/', key: reading.key })).statusCode).toBe(200)
      return { pending: requests }
    }),
  )
  expect(await getStatuses(pending)).toEqual([201, 201])
  await app.close()
  await db.destroy()
})

import { beforeAll, expect, it, jest } from '@jest/globals'
import type { Call } from '@outdial/contract'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { supportProgram } from '../../admin/commands.ts'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { readStories } from '../../dashboard/stories/read-story.ts'
import { insertToolCall } from '../../queue/calls/tool-call-store.ts'
import { recordDeliveryAttempts } from '../../webhooks/delivery-attempt-store.ts'
import { leaseDeliveries } from '../../webhooks/delivery-store.ts'
import { admin } from '../support/admin.ts'
import { completeDialedCall, dialCall } from '../support/calls.ts'
import { freshNumber, type Seed, seedWorkspace } from '../support/factories.ts'
import { useServiceWorld } from '../support/service.ts'
import { createSender } from '../support/test-api.ts'
import { waitFor } from '../support/wait.ts'

jest.setTimeout(60_000)
const world = useServiceWorld()
let seed: Seed
let send: ReturnType<typeof createSender>

beforeAll(async () => {
  seed = await seedWorkspace(world.service.deps)
  const { key } = await createApiKey(world.service.deps, seed.workspaceId, seed.userId, 'Website')
  send = createSender(world.service.app, key)
})

const environment = () => ({
  DATABASE_URL: world.database.url,
  SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
})

const support = (...args: string[]) => admin(args, environment(), '', supportProgram)

/** Returns the lines that the command prints. The second line contains the cause. */
async function diagnose(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await support('diagnose', ...args)
  expect([code, stderr]).toEqual([0, ''])
  return stdout.split('\n')
}

let requestCount = 0

/** Queues a call over the API, and returns it after its request was logged. */
async function queueCall(body: object = {}, headers: Record<string, string> = {}) {
  requestCount += 1
  const requestId = `story-${requestCount}`
  const response = await send({
    ...{ method: 'POST', path: '/contacts/' },
    body: { phone_number: freshNumber(), campaign_id: seed.campaignId, first_name: 'Maya', ...body },
    headers: { 'x-request-id': requestId, ...headers },
  })
  await waitFor(
    () =>
      world.database.db
        .selectFrom('api_request')
        .select('id')
        .where('request_id', '=', requestId)
        .executeTakeFirst(),
    () => world.service.deps.clock.advance(1_000),
  )
  return { requestId, call: response.json<{ call: Call }>().call }
}

it('says who canceled a call', async () => {
  const phone = freshNumber()
  const { call } = await queueCall({ phone_number: phone })
  const response = await send({ method: 'POST', path: '/calls/cancel', body: { phone_number: phone } })
  expect(response.json()).toMatchObject({ canceled: [call.id], phone_numbers: [phone] })

  const lines = await diagnose('--call', String(call.id))

  expect(lines[1]).toBe('The call was canceled by API key “Website”.')
})

it('first prints why a call ended, and then the steps of the call from the request to the deliveries', async () => {
  const { deps } = world.service
  const subscription = await send({
    ...{ method: 'POST', path: '/webhooks/subscribe' },
    body: { target_url: 'https://hooks.example.com/zap', event: 'call.completed' },
  })
  const phone = freshNumber()
  const first = await queueCall({ phone_number: phone }, { 'idempotency-key': 'lead-1' })
  const repeated = await queueCall({ phone_number: phone }, { 'idempotency-key': 'lead-1' })
  const { id } = first.call
  const attempt = await dialCall(deps, seed, id)
  await insertToolCall(world.database.db, seed.workspaceId, {
    ...{ of: { callId: id, attemptId: attempt.id }, toolName: 'knowledge_search', durationMs: 37 },
    ...{ arguments: JSON.stringify({ query: 'price' }), result: 'Nothing was found.' },
    ...{ isError: false, dryRun: false, startedAt: deps.clock.now() },
  })
  await completeDialedCall(deps, seed, id, emptyResult('no_answer', 'ring_timeout'))
  await attemptDelivery({ statusCode: null, error: 'The request timed out.' }, { status: 'pending' })
  await attemptDelivery({ statusCode: 200, error: null }, { status: 'delivered' })

  const lines = await diagnose('--call', String(id))

  expect(lines.slice(0, 4)).toEqual([
    `Call ${id} to Maya: No answer (workspace ${seed.workspaceId}, Acme)`,
    "The call wasn't answered.",
    'The event was delivered to hooks.example.com.',
    expect.stringMatching(/^hooks\.example\.com may have processed the event twice, because attempt 1 /),
  ])
  const story = lines.join('\n')
  const steps = [
    'Request POST /contacts/: 201',
    `Queued call ${id}. Request ID ${first.requestId}, from API key “Website”`,
    'Contact created',
    'Queued',
    'By API key “Website”.',
    `Request ID ${repeated.requestId}`,
    'Attempt 1: dialed',
    'The agent used knowledge_search',
    'Result: Nothing was found.',
    'No answer',
    'Event created',
    'attempt 1: The request timed out.',
    'attempt 2: HTTP 200',
  ]
  let position = 0
  for (const text of steps) {
    const found = story.indexOf(text, position)
    expect([text, found >= position]).toEqual([text, true])
    position = found
  }
  await send({ method: 'DELETE', path: `/webhooks/${subscription.json<{ id: number }>().id}/` })

  const { stdout } = await support('diagnose', '--call', String(id), '--json')
  expect(JSON.parse(stdout)).toEqual([
    expect.objectContaining({
      workspace_id: seed.workspaceId,
      cause: "The call wasn't answered.",
      steps: expect.arrayContaining([
        expect.objectContaining({ at: expect.stringMatching(/Z$/), title: 'Attempt 1: dialed' }),
      ]),
    }),
  ])

  const byRequest = await diagnose('--request', repeated.requestId)
  expect(byRequest[0]).toContain(`Request ${repeated.requestId}, POST /contacts/: 201`)
  expect(byRequest[1]).toMatch(/^Repeated request: this idempotency key was already used/)
  expect(byRequest[2]).toBe("The call wasn't answered.")

  const [event] = await world.database.db.selectFrom('event').select('id').where('call_id', '=', id).execute()
  const byEvent = await diagnose('--event', event?.id ?? '')
  expect(byEvent[1]).toBe('The event was delivered to hooks.example.com.')
  expect(byEvent.join('\n')).toContain("The call wasn't answered.")
})

/** Records a delivery attempt for the pending delivery that's due. */
async function attemptDelivery(
  result: { statusCode: number | null; error: string | null },
  { status }: { status: 'pending' | 'delivered' },
): Promise<void> {
  const { db, clock } = world.service.deps
  const now = clock.now()
  const [delivery] = await leaseDeliveries(db, {
    ...{ workerId: '00000000-0000-4000-8000-000000000001', now, capacity: 1, perHost: 1 },
    ...{ activeByHost: new Map(), leaseSeconds: 60 },
  })
  if (delivery === undefined) throw new Error('no delivery')
  await recordDeliveryAttempts(db, [
    {
      lease: delivery,
      attempt: { at: now, durationMs: 21, ...result },
      state: status === 'pending' ? { status, nextAttemptAt: now } : { status },
      onlyIf: null,
    },
  ])
}

it("says why a call waits, which other calls the contact has, and why a call's event wasn't sent", async () => {
  const { db } = world.database
  const phone = freshNumber()
  const first = await queueCall({ phone_number: phone })
  const second = await queueCall({ phone_number: phone, if_already_queued: 'queue' })
  const skipped = await queueCall({ phone_number: phone })
  await db.updateTable('campaign').set({ status: 'paused' }).where('id', '=', seed.campaignId).execute()
  const waiting = await diagnose('--call', String(first.call.id))
  expect(waiting[1]).toMatch(/^Not called yet\. The campaign is paused\. Resume it/)
  expect(waiting[2]).toMatch(new RegExp(`^The contact has 1 other call .*: call ${second.call.id} \\(queued`))
  expect((await diagnose('--request', skipped.requestId))[1]).toMatch(
    /^Didn't queue a call, because the contact's call \d+ /,
  )
  await db.updateTable('campaign').set({ status: 'active' }).where('id', '=', seed.campaignId).execute()

  await dialCall(world.service.deps, seed, first.call.id)
  await completeDialedCall(world.service.deps, seed, first.call.id, emptyResult('busy', 'line_busy'))
  const completed = await diagnose('--call', String(first.call.id))
  expect(completed[1]).toBe('The number was busy.')
  expect(completed).toContain(
    "The event wasn't sent, because there was no webhook subscription when it was created.",
  )
})

it('shows the calls to a number, and whether the number is on the do-not-call list, in each workspace that has it', async () => {
  const phone = freshNumber()
  const { call } = await queueCall({ phone_number: phone })
  const other = await seedWorkspace(world.service.deps, 'Neighbor')
  const { key } = await createApiKey(world.service.deps, other.workspaceId, other.userId, 'Neighbor')
  const body = { phone_number: phone, campaign_id: other.campaignId }
  await createSender(world.service.app, key)({ method: 'POST', path: '/contacts/', body })
  const listed = ['--workspace', String(other.workspaceId), '--number', phone]
  await admin(['do-not-call', 'add', ...listed], environment())

  const stories = (await diagnose('--contact', phone)).join('\n').split('\n\nContact ')
  expect(stories).toHaveLength(2)
  expect(stories[0]).toContain(`Latest call, call ${call.id}: Next in line.`)
  expect(stories[0]).toContain(`Call ${call.id}: Queued`)
  expect(stories[1]).toMatch(
    /^.* \(workspace \d+, Neighbor\)\nThe number isn't called, because it was put on the do-not-call list on .* in the dashboard, by a member or an import\.\nLatest call, call \d+: The number is on the do-not-call list\./,
  )

  const national = phone.replace('+1', '')
  const inOne = await diagnose('--contact', national, '--workspace', String(seed.workspaceId))
  expect(inOne[0]).toContain('Acme')
  expect(inOne.join('\n')).not.toContain('Neighbor')
})

it("marks test calls, and describes a contact's latest real call first", async () => {
  const phone = freshNumber()
  const { call: test } = await queueCall({ phone_number: phone, test: true })
  expect((await diagnose('--call', String(test.id)))[0]).toMatch(
    new RegExp(`^Call ${test.id} to Maya \\(test call\\): `),
  )
  expect((await diagnose('--contact', phone)).slice(1, 3)).toEqual([
    'No real call was queued for this contact.',
    expect.stringMatching(new RegExp(`^Latest test call, call ${test.id}: `)),
  ])

  const { call: real } = await queueCall({ phone_number: phone, if_already_queued: 'queue' })
  const { call: newer } = await queueCall({ phone_number: phone, test: true, if_already_queued: 'queue' })
  const lines = await diagnose('--contact', phone)
  expect(lines[1]).toMatch(new RegExp(`^Latest call, call ${real.id}: `))
  expect(lines).toContain(
    `The steps are those of 3 calls. Test calls, which ring no phone: call ${newer.id}, call ${test.id}.`,
  )
})

it("prints the year of a time that isn't in the current year", async () => {
  const { call } = await queueCall({ scheduled_at: '2027-03-01T09:00:00-05:00' })
  const lines = await diagnose('--call', String(call.id))
  expect(lines[1]).toMatch(/^Not called yet\. Scheduled for Mar 1, 2027, 9:00 AM\./)
})

it('says who put a number on the do-not-call list', async () => {
  const overApi = freshNumber()
  await queueCall({ phone_number: overApi })
  await send({ method: 'POST', path: '/do-not-call/', body: { phone_number: overApi, reason: 'Booked' } })
  const withContact = freshNumber()
  await queueCall({ phone_number: withContact, do_not_call: true })
  const duringCall = freshNumber()
  const { call } = await queueCall({ phone_number: duringCall })
  await dialCall(world.service.deps, seed, call.id)
  const optedOut = { ...emptyResult('declined', 'contact_declined'), optedOut: true }
  await completeDialedCall(world.service.deps, seed, call.id, optedOut)

  // Reads the stories directly, because the command hashes numbers with another key than the tests.
  const causes = await Promise.all(
    [overApi, withContact, duringCall].map(async (phoneNumber) => {
      const [story] = await readStories(world.service.deps, { phoneNumber })
      return story?.sentences[0]
    }),
  )

  const start = "The number isn't called, because it was put on the do-not-call list on May 4, 2026 by"
  expect(causes).toEqual([
    `${start} API key “Website”. Reason: Booked`,
    `${start} API key “Website”.`,
    `${start} the agent Ava during call ${call.id}.`,
  ])
})

it("explains why a request was rejected, and says so if a request, call, event, or contact isn't found", async () => {
  const headers = { 'x-outdial-client': 'zapier/1.0.0' }
  const { requestId } = await queueCall({ phone_number: '(202) 555-0100 ext 5' }, headers)
  const lines = await diagnose('--request', requestId)
  expect(lines[0]).toContain('POST /contacts/: 422')
  expect(lines[1]).toMatch(/^Rejected with validation_failed \(phone_number: phone_number_extension\)\. /)
  expect(lines.join('\n')).toContain('from API key “Website” (zapier/1.0.0), ')

  const missing = await Promise.all([
    support('diagnose', '--request', 'never-sent'),
    support('diagnose', '--call', '999999'),
    support('diagnose', '--event', 'evt_none'),
    support('diagnose', '--contact', '+12025550000'),
    support('diagnose', '--call', String((await queueCall()).call.id), '--workspace', '999'),
  ])
  expect(missing.map(({ code, stderr }) => [code, stderr.split('.')[0]])).toEqual([
    [1, 'No request with this ID is in the API log'],
    [1, 'Call 999999 not found'],
    [1, 'Event not found'],
    [1, expect.stringContaining('No workspace has a contact with this number')],
    [1, expect.stringMatching(/^Call \d+ not found$/)],
  ])
})

it('requires exactly one of --call, --contact, --request, and --event, and lists them with --help', async () => {
  const invalid = await Promise.all([
    support('diagnose'),
    support('diagnose', '--call', '1', '--event', 'evt_1'),
    support('diagnose', '--contact', '202 555 0100'),
    support('diagnose', '--call', 'one'),
    support('list-users'),
  ])
  for (const { code, stderr } of invalid) {
    expect([code, stderr]).toEqual([2, expect.stringContaining('run npm run support -- --help')])
  }
  expect(invalid[0].stderr).toContain('Use one of --call, --contact, --request, and --event.')
  const { stdout } = await support('diagnose', '--help')
  expect(stdout).toContain('Usage: npm run support -- diagnose [--call ID] [--contact PHONE]')
})

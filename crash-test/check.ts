import { Call } from '@outdial/contract'
import pg from 'pg'
import type * as z from 'zod'
import type { ApiClient } from './api-client.ts'
import { findPeak, type PhoneCall } from './call-log.ts'
import { campaignLimits, type CampaignName, type Campaigns, retryPolicy } from './campaigns.ts'
import type { Cluster } from './cluster.ts'
import type { Load } from './load.ts'
import type { Subscriptions } from './subscriptions.ts'
import { isSignedWith, type ReceivedEvent, type WebhookReceiver } from './webhook-receiver.ts'

/** The records of a round that were made outside of the service. */
interface Records {
  cluster: Cluster
  client: ApiClient
  campaigns: Campaigns
  subscriptions: Subscriptions
  receiver: WebhookReceiver
  load: Load
  /** The calls that were acknowledged while the service was overloaded. */
  overloadCallIds: readonly number[]
}

interface Checked {
  /** By kind, how many objects were checked. */
  counts: Record<string, number>
  violations: string[]
  calls: ReadonlyMap<number, CheckedCall>
}

export const CheckedCall = Call.pick({
  id: true,
  status: true,
  outcome: true,
  ended_reason: true,
  ended_at: true,
  attempts: true,
  campaign_id: true,
  to_number: true,
  metadata: true,
})
export type CheckedCall = z.infer<typeof CheckedCall>

/** Compares the API's data with what the clients, the webhook receiver, and the telephony provider have recorded. */
export async function check(records: Records): Promise<Checked> {
  const { client, cluster } = records
  const listed = await client.list('/calls/?limit=200', CheckedCall)
  const calls = new Map(listed.map((call) => [call.id, call]))
  const eventsByCall = Map.groupBy(records.receiver.events, ({ callId }) => callId)
  const violations = [
    ...checkCalls(records, calls),
    ...checkEvents(records, calls, eventsByCall),
    ...checkSubscriptions(records, calls),
    ...checkPhones(records, calls),
    ...(await checkStoredEvents(cluster, calls)),
    ...(await checkGone(records)),
    ...records.load.unexpected.map((text) => `unexpected response to ${text}`),
    ...Object.values(cluster.processes)
      .flatMap(({ unexpectedExits }) => unexpectedExits)
      .map((exit) => `process ended by itself: ${exit}`),
  ]
  if (cluster.runtime !== undefined && cluster.runtime.unsignedRequests > 0)
    violations.push(`requests to the runtime without a valid signature: ${cluster.runtime.unsignedRequests}`)
  const acknowledged = records.load.contacts.filter(({ callId }) => callId !== undefined).length
  return {
    calls,
    violations,
    counts: {
      'acknowledged posts': acknowledged + records.overloadCallIds.length,
      'idempotency keys': records.load.contacts.length,
      'repeated requests': records.load.repeats,
      'calls completed': listed.length,
      'calls lost with their worker': listed.filter((call) => call.ended_reason === 'worker_lost').length,
      'calls dialed again after no answer': listed.filter(({ attempts }) => attempts > 1).length,
      'calls canceled': records.load.canceledCallIds.size,
      'starts that ended because the database was away too long': Object.values(cluster.processes).reduce(
        (sum, { startTimeouts }) => sum + startTimeouts,
        0,
      ),
      'phone calls': cluster.callLog.calls.length,
      'webhook requests': records.receiver.events.length,
      'webhook requests accepted': records.receiver.events.filter(({ accepted }) => accepted).length,
      unsubscribes: records.subscriptions.passing.filter(({ endedAt }) => endedAt !== undefined).length,
    },
  }
}

/** Checks that acknowledged calls are completed, and that each idempotency key has one call. Returns the violations. */
function checkCalls(
  { load, overloadCallIds, client }: Records,
  calls: ReadonlyMap<number, CheckedCall>,
): string[] {
  const violations: string[] = []
  for (const call of calls.values()) {
    if (call.status !== 'completed' || call.outcome === null)
      violations.push(`call ${call.id} is ${call.status}`)
  }
  for (const id of overloadCallIds) {
    if (!calls.has(id)) violations.push(`call ${id} was acknowledged under overload, but doesn't exist`)
  }
  const byKey = Map.groupBy([...calls.values()], (call) => call.metadata.key ?? '')
  for (const { key, callId, callQueued } of load.contacts) {
    const found = (byKey.get(key) ?? []).map(({ id }) => id)
    if (found.length > 1) violations.push(`key ${key} has the calls ${found.join()}`)
    if (callId === undefined) continue
    if (!calls.has(callId)) violations.push(`call ${callId} was acknowledged, but doesn't exist`)
    if (callQueued && found[0] !== callId)
      violations.push(`key ${key} was acknowledged with the call ${callId}, but has ${found.join()}`)
  }
  for (const id of load.canceledCallIds) {
    const { outcome } = calls.get(id) ?? {}
    if (outcome !== 'canceled') violations.push(`call ${id} was canceled, but ended as ${outcome}`)
  }
  if (client.origins.length === 0) violations.push('no API')
  return violations
}

/** Checks that each call has one event, and that all of the call's endpoints accepted the event. Returns the violations. */
function checkEvents(
  { subscriptions, load }: Records,
  calls: ReadonlyMap<number, CheckedCall>,
  eventsByCall: ReadonlyMap<number, ReceivedEvent[]>,
): string[] {
  const violations: string[] = []
  const secrets = new Map(
    [...subscriptions.lasting.values(), ...subscriptions.passing].map(({ path, secret }) => [path, secret]),
  )
  for (const call of calls.values()) {
    const received = eventsByCall.get(call.id) ?? []
    const ids = new Set(received.map(({ eventId }) => eventId))
    if (ids.size > 1) violations.push(`call ${call.id} has the events ${[...ids].join()}`)
    if (new Set(received.map(({ body }) => body)).size > 1)
      violations.push(`the body of the event of call ${call.id} changed between requests`)
    for (const [behavior, { path, campaignId }] of subscriptions.lasting) {
      if (behavior === 'gone' || (campaignId !== undefined && campaignId !== call.campaign_id)) continue
      if (!received.some((event) => event.path === path && event.accepted))
        violations.push(`the endpoint ${behavior} didn't accept the event of call ${call.id}`)
    }
  }
  for (const { callbackPath, callId, key } of load.contacts) {
    if (callbackPath === undefined || callId === undefined) continue
    const received = eventsByCall.get(callId) ?? []
    if (!received.some(({ path, accepted }) => path === callbackPath && accepted))
      violations.push(`the callback URL of ${key} didn't get the event of call ${callId}`)
  }
  for (const event of [...eventsByCall.values()].flat()) {
    const secret = secrets.get(event.path)
    if (!event.hasOneId) violations.push(`the webhook-id of ${event.eventId} isn't the event's ID`)
    if (secret !== undefined && !isSignedWith(event, secret))
      violations.push(`the signature of ${event.eventId} isn't valid for ${event.path}`)
    if (!calls.has(event.callId))
      violations.push(`event ${event.eventId} is of an unknown call ${event.callId}`)
  }
  return violations
}

/** Checks that nothing was delivered after an unsubscribe was confirmed. Returns the violations. */
function checkSubscriptions(
  { subscriptions, receiver }: Records,
  calls: ReadonlyMap<number, CheckedCall>,
): string[] {
  const byPath = Map.groupBy(receiver.events, ({ path }) => path)
  return subscriptions.passing.flatMap(({ path, endedAt, campaignId }) =>
    (byPath.get(path) ?? []).flatMap(({ at, eventId, callId }) => [
      ...(endedAt !== undefined && at > endedAt
        ? [`${eventId} was delivered to ${path} ${Math.round(at - endedAt)} ms after the unsubscribe`]
        : []),
      ...(campaignId !== undefined && calls.get(callId)?.campaign_id !== campaignId
        ? [`${eventId} was delivered to ${path}, which doesn't match its filter`]
        : []),
    ]),
  )
}

/**
 * Checks, by the telephony provider's record, that no attempt rang twice and that limits always held. Returns the violations.
 */
function checkPhones({ cluster, campaigns }: Records, calls: ReadonlyMap<number, CheckedCall>): string[] {
  const { callLog } = cluster
  const violations = callLog.repeatedAttempts().map((id) => `attempt ${id} was dialed more than once`)
  const known = callLog.calls.filter(({ callId }) => calls.has(callId))
  for (const [callId, dials] of Map.groupBy(known, (call) => call.callId)) {
    const { attempts = 0 } = calls.get(callId) ?? {}
    if (dials.length > Math.min(attempts, retryPolicy.max_attempts))
      violations.push(`call ${callId} was dialed ${dials.length} times, in ${attempts} attempts`)
  }
  const ofCampaign = Map.groupBy(known, ({ callId }) => calls.get(callId)?.campaign_id ?? 0)
  for (const [name, id] of Object.entries(campaigns.ids) as [CampaignName, number][]) {
    const { count } = findPeak(ofCampaign.get(id) ?? [])
    if (count > campaignLimits[name])
      violations.push(
        `campaign ${name} had ${count} calls at the same time, but allows ${campaignLimits[name]}`,
      )
  }
  const ofNumber = Map.groupBy(known, ({ callId }) => calls.get(callId)?.to_number ?? '')
  for (const phoneCalls of ofNumber.values()) {
    if (findPeak(phoneCalls).count > 1)
      violations.push(`one number had two calls at the same time: ${describe(phoneCalls)}`)
  }
  for (const { attemptId, callId } of callLog.ongoing()) {
    violations.push(`attempt ${attemptId} of call ${callId} still has a phone call after the round`)
  }
  if (known.length < callLog.calls.length)
    violations.push(`${callLog.calls.length - known.length} phone calls have no call`)
  return violations
}

const describe = (phoneCalls: readonly PhoneCall[]): string =>
  phoneCalls
    .map(
      ({ attemptId, callId, process, startedAt, endedAt }) =>
        `call ${callId} attempt ${attemptId} (${process}) ${Math.round(startedAt)}–${Math.round(endedAt ?? NaN)} ms`,
    )
    .join(', ')

/** Checks that the database has exactly one event for each call, even if no subscription matches it. */
async function checkStoredEvents(
  { database }: Cluster,
  calls: ReadonlyMap<number, CheckedCall>,
): Promise<string[]> {
  const db = new pg.Client({ connectionString: database.url() })
  await db.connect()
  try {
    const { rows } = await db.query<{ id: string; count: string }>(
      `select call.id, count(event.id) from call left join event on event.call_id = call.id
       where call.id = any($1) group by call.id having count(event.id) <> 1`,
      [[...calls.keys()]],
    )
    return rows.map(({ id, count }) => `call ${id} has ${count} events`)
  } finally {
    await db.end()
  }
}

/** Checks that a subscription whose endpoint returned 410 was removed. */
async function checkGone({ subscriptions, receiver }: Records): Promise<string[]> {
  const gone = subscriptions.lasting.get('gone')
  if (gone === undefined || !receiver.events.some(({ path }) => path === gone.path)) return []
  return (await subscriptions.isGone(gone))
    ? []
    : ['the subscription whose endpoint returned 410 still exists']
}

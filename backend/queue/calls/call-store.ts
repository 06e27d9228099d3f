import type { CallOutcome, EndedReason } from '@outdial/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Actor, CallOrigin } from '../../platform/core/actor.ts'
import {
  campaignRequirements,
  type Consent,
  consentOfContact,
  type DelayingRule,
  type NumberUse,
  useOfCallee,
} from '../../platform/db/call-rules.ts'
import { prepared } from '../../platform/db/connect.ts'
import { type CampaignKey, inQueueOrder } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'
import type { CallSettings } from '../../platform/db/tables/call-tables.ts'
import { contactSnapshot } from './call-settings.ts'
import { type CallRow, selectCalls } from './find-calls.ts'

/** A call as the database function `queue_calls` takes it. Migration 0104 describes `if_open`. */
interface NewCall {
  contact_id: number
  campaign_id: number
  test: boolean
  if_open: 'skip' | 'queue' | 'same_time'
  scheduled_at: Date | null
  due_at: Date
  next_attempt_at: Date
  delayed_by: DelayingRule | null
  exempt: boolean
  metadata: Record<string, string>
  origin: CallOrigin
  zones: Pick<CallSettings, 'time_zones' | 'time_zone_source'>
}

/** Columns of a new call for `selectNewCalls`. `queue_calls` reads the same values from the locked campaign and contact. */
interface MadeWith {
  agent_id: number
  phone_number_id: number
  from_number: string
  to_number: string
}

interface InsertedCall {
  callId: number
  /** False if `callId` is an open call that the new call would duplicate. */
  queued: boolean
  /** The call as the API shows it. Null if the call isn't new, or without `withRows`. */
  row: CallRow | null
}

/**
 * Queues calls with the settings that are in effect. If a call would duplicate an open one, finds the open call instead.
 * Returns the calls in the order of the input.
 *
 * @param options.withRows also returns new calls as the API shows them
 */
export async function insertCalls(
  db: Db,
  workspaceId: number,
  calls: readonly (NewCall & MadeWith)[],
  queuedAt: Date,
  { withRows }: { withRows: boolean },
): Promise<InsertedCall[]> {
  const requests = JSON.stringify(calls.map((call, item) => ({ item, ...call })))
  const queued = sql`queue_calls(
    ${workspaceId}, ${queuedAt},
    array(select request from json_populate_recordset(null::call_request, ${requests}::json) as request)
  )`
  const rows: readonly (QueuedItem | (QueuedItem & CallRow))[] = withRows
    ? await selectNewCalls(db, workspaceId, { queued, requests, queuedAt }).execute()
    : (await sql<QueuedItem>`${prepared} select item, call_id as id, queued from ${queued}`.execute(db)).rows
  if (rows.length !== calls.length) throw new Error('invariant: a call was neither queued nor found')
  return rows
    .toSorted((one, other) => one.item - other.item)
    .map((row) => ({ callId: row.id, queued: row.queued, row: row.queued && 'status' in row ? row : null }))
}

interface QueuedItem {
  /** The position of the call in the input. */
  item: number
  id: number
  queued: boolean
}

/**
 * Queues calls and selects them in one statement, which saves a round trip. The statement doesn't see the rows that it inserts,
 * so it builds `call` from the requests and from the values that all new calls have.
 */
function selectNewCalls(
  db: Db,
  workspaceId: number,
  { queued, requests, queuedAt }: { queued: RawBuilder<unknown>; requests: string; queuedAt: Date },
) {
  const withCalls = db.with(
    'call',
    () => sql`(
      select queued.call_id as id, queued.queued, ${workspaceId}::bigint as workspace_id, request.*,
        'queued' as status, null::text as outcome, null::text as ended_reason, 0 as attempts,
        ${queuedAt}::timestamptz as queued_at, null::timestamptz as answered_at, null::timestamptz as ended_at,
        null::int as duration_seconds, null::text as summary, '[]'::jsonb as transcript, 'unknown' as sentiment,
        false as opted_out, null::boolean as goal_met, '{}'::jsonb as extracted, null::text as recording_url,
        null::jsonb as completed_contact, null::int as agent_version
      from ${queued} as queued
      join json_to_recordset(${requests}::json) as request (
        item int, campaign_id bigint, contact_id bigint, agent_id bigint, phone_number_id bigint, from_number text,
        to_number text, test boolean, origin jsonb, scheduled_at timestamptz, due_at timestamptz,
        next_attempt_at timestamptz, delayed_by text, metadata jsonb
      ) on request.item = queued.item
    )`,
  )
  return selectCalls(withCalls as unknown as Db, workspaceId, queuedAt, sql<boolean>`false`)
    .select([sql<number>`call.item`.as('item'), sql<boolean>`call.queued`.as('queued')])
    .modifyFront(prepared)
}

interface LastCall {
  id: number
  contactId: number
  campaignId: number
  test: boolean
  endedReason: EndedReason | null
  endedAt: Date | null
}

/**
 * Returns each contact's open call in the campaign, or else its last completed call. With `skipsOpen`, ignores the open call.
 */
export async function findLastCalls(
  db: Db,
  workspaceId: number,
  wanted: readonly { contactId: number; campaignId: number; test: boolean; skipsOpen: boolean }[],
): Promise<LastCall[]> {
  const ofContact = sql`
    select * from call
    where call.workspace_id = ${workspaceId} and call.contact_id = wanted.contact_id
      and call.campaign_id = wanted.campaign_id and call.test = wanted.test`
  const { rows } = await sql<LastCall>`
    select last.id, last.contact_id as "contactId", last.campaign_id as "campaignId", last.test,
      last.ended_reason as "endedReason", last.ended_at as "endedAt"
    from unnest(
      ${wanted.map(({ contactId }) => contactId)}::bigint[], ${wanted.map(({ campaignId }) => campaignId)}::bigint[],
      ${wanted.map(({ test }) => test)}::boolean[], ${wanted.map(({ skipsOpen }) => skipsOpen)}::boolean[]
    ) as wanted (contact_id, campaign_id, test, skips_open)
    cross join lateral (
      (${ofContact} and status <> 'completed' and not wanted.skips_open limit 1)
      union all
      (${ofContact} and status = 'completed' order by id desc limit 1)
      limit 1
    ) as last`.execute(db)
  return rows
}

export interface QueuedCallResult {
  outcome: CallOutcome
  endedReason: EndedReason
  at: Date
  /** The call in which the contact opted out. If it's among the completed calls and isn't a test, it's marked as opted out. */
  optedOutCallId?: number
  /** The member or program that canceled the call. */
  canceledBy?: Actor
}

/** Completes the calls that are still queued, and returns their IDs. */
export const markQueuedCallsCompleted = async (
  db: Db,
  workspaceId: number,
  callIds: readonly number[],
  result: QueuedCallResult,
): Promise<number[]> => {
  const rows = await db
    .updateTable('call')
    .set({
      status: 'completed',
      outcome: result.outcome,
      ended_reason: result.endedReason,
      ended_at: result.at,
      opted_out: sql<boolean>`opted_out or (id = ${result.optedOutCallId ?? 0} and not test)`,
      canceled_by: result.canceledBy === undefined ? null : JSON.stringify(result.canceledBy),
      next_attempt_at: null,
      completed_contact: contactSnapshot(sql.ref('call.contact_id')),
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${callIds}::bigint[])`)
    .where('status', '=', 'queued')
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

/** Returns, by call ID, how the last ended attempt of each call ended. Leaves out calls without an ended attempt. */
export async function findLastResults(
  db: Db,
  workspaceId: number,
  callIds: readonly number[],
): Promise<Map<number, { outcome: CallOutcome; endedReason: EndedReason }>> {
  const rows = await db
    .selectFrom('call_attempt')
    .select(['call_id', 'outcome', 'ended_reason'])
    .distinctOn('call_id')
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', sql<number>`any(${callIds}::bigint[])`)
    .where('ended_at', 'is not', null)
    .orderBy('call_id')
    .orderBy('number', 'desc')
    .execute()
  return new Map(
    rows.flatMap(({ call_id: callId, outcome, ended_reason: endedReason }) =>
      outcome === null || endedReason === null ? [] : [[callId, { outcome, endedReason }] as const],
    ),
  )
}

/** A queued call, with the values that determine when it can be placed. */
export interface QueuedCall {
  id: number
  campaignId: number
  test: boolean
  dueAt: Date
  toNumber: string
  contactTimeZone: string | null
  consent: Consent | null
  use: NumberUse | null
  exempt: boolean
  attempts: number
}

/** Locks the campaign's next queued calls, in order of ID. */
export const lockQueuedCalls = (
  db: Db,
  key: CampaignKey,
  afterCallId: number,
  limit: number,
): Promise<QueuedCall[]> =>
  queuedCalls(db, key.workspaceId)
    .where('call.campaign_id', '=', key.campaignId)
    .where('call.id', '>', afterCallId)
    .orderBy('call.id')
    .limit(limit)
    .forNoKeyUpdate('call')
    .execute()

/** Locks the contact's queued calls in all campaigns, and returns each with its campaign's limits. */
export const lockQueuedCallsOfContact = (db: Db, workspaceId: number, contactId: number) =>
  withCampaignLimits(queuedCalls(db, workspaceId))
    .where('call.contact_id', '=', contactId)
    .orderBy('call.id')
    .forNoKeyUpdate('call')
    .execute()

/**
 * Locks the next queued calls to a number, up to `limit`, that are delayed by a rule. Returns each with its campaign's limits.
 */
export const lockDelayedCalls = (db: Db, workspaceId: number, phoneNumber: string, limit: number) =>
  withCampaignLimits(queuedCalls(db, workspaceId))
    .where('call.id', 'in', (eb) =>
      eb
        .selectFrom('call')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where('to_number', '=', phoneNumber)
        .where('status', '=', 'queued')
        .where('delayed_by', 'is not', null)
        .orderBy('next_attempt_at')
        .limit(limit),
    )
    .orderBy('call.id')
    .forNoKeyUpdate('call')
    .execute()

/** Returns the next queued calls that aren't tests, in order of campaign and ID, each with its campaign's limits. */
export const findQueuedCalls = (
  db: Db,
  scope: {
    workspaceId: number
    campaignId: number | undefined
    after: Pick<QueuedCall, 'campaignId' | 'id'> | undefined
  },
  limit: number,
) =>
  withCampaignLimits(queuedCalls(db, scope.workspaceId))
    .where('call.test', '=', false)
    .$if(scope.campaignId !== undefined, (query) =>
      query.where('call.campaign_id', '=', scope.campaignId ?? 0),
    )
    .where(
      sql<boolean>`(call.campaign_id, call.id) > (${scope.after?.campaignId ?? 0}, ${scope.after?.id ?? 0})`,
    )
    // This is the order of the index, so that no batch has to sort all calls.
    .orderBy('call.campaign_id')
    .orderBy('call.id')
    .limit(limit)
    .execute()

/** Returns which of the contacts have queued calls. */
export async function findContactsWithQueuedCalls(
  db: Db,
  workspaceId: number,
  contactIds: readonly number[],
): Promise<Set<number>> {
  const rows = await db
    .selectFrom('call')
    .select('contact_id')
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', sql<number>`any(${contactIds}::bigint[])`)
    .where('status', '=', 'queued')
    .execute()
  return new Set(rows.map((row) => row.contact_id))
}

const queuedCalls = (db: Db, workspaceId: number) =>
  db
    .selectFrom('call')
    .innerJoin('contact', 'contact.id', 'call.contact_id')
    .select([
      'call.id',
      'call.campaign_id as campaignId',
      'call.test',
      'call.due_at as dueAt',
      'call.to_number as toNumber',
      'contact.time_zone as contactTimeZone',
      'call.exempt',
      'call.attempts',
      consentOfContact.as('consent'),
      useOfCallee.as('use'),
    ])
    .where('call.workspace_id', '=', workspaceId)
    .where('call.status', '=', 'queued')

/** Locks a call if it's queued, and returns it with its campaign's limits. */
export const lockQueuedCall = (db: Db, workspaceId: number, callId: number) =>
  withCampaignLimits(queuedCalls(db, workspaceId))
    .where('call.id', '=', callId)
    .forNoKeyUpdate('call')
    .executeTakeFirst()

/** Sets the requested time of a locked queued call, and when it's dialed next. */
export const setSchedule = async (
  db: Db,
  callId: number,
  { scheduledAt, at, delayedBy }: { scheduledAt: Date; at: Date; delayedBy: DelayingRule | null },
): Promise<void> => {
  await db
    .updateTable('call')
    .set({ scheduled_at: scheduledAt, due_at: scheduledAt, next_attempt_at: at, delayed_by: delayedBy })
    .where('id', '=', callId)
    .execute()
}

const withCampaignLimits = (queued: ReturnType<typeof queuedCalls>) =>
  queued
    .innerJoin('campaign', 'campaign.id', 'call.campaign_id')
    .select([
      'campaign.calling_hours as callingHours',
      'campaign.time_zone as campaignTimeZone',
      campaignRequirements.as('requires'),
    ])

/**
 * Marks a workspace's campaigns to be rescheduled, in the order of their IDs. Other transactions can still be queuing or
 * completing calls with the old rules. This function doesn't wait for them, but `lockCampaignToReschedule` does, for one
 * campaign at a time.
 */
export const markToReschedule = async (db: Db, workspaceId: number): Promise<void> => {
  const open = db
    .selectFrom('campaign')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('status', '<>', 'archived')
    .orderBy('id')
    .forNoKeyUpdate()
  await db
    .updateTable('campaign')
    .set({ reschedule_after_call_id: 0 })
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', open)
    .execute()
}

/** Sets when queued calls are dialed next, and which rule delays them until then. */
export async function updateNextAttempts(
  db: Db,
  changes: readonly { id: number; campaignId: number; at: Date; delayedBy: DelayingRule | null }[],
): Promise<void> {
  for (const group of inQueueOrder(changes))
    await sql`
      update call set next_attempt_at = change.at, delayed_by = change.delayed_by
      from unnest(
        ${group.map(({ id }) => id)}::bigint[], ${group.map(({ at }) => at)}::timestamptz[],
        ${group.map(({ delayedBy }) => delayedBy)}::text[]
      ) as change (id, at, delayed_by)
      where call.id = change.id and call.status = 'queued'`.execute(db)
}

/** Saves how far a campaign's queued calls have been rescheduled. Null means all of them. */
export const setRescheduleAfter = (db: Db, key: CampaignKey, afterCallId: number | null): Promise<unknown> =>
  db
    .updateTable('campaign')
    .set({ reschedule_after_call_id: afterCallId })
    .where('workspace_id', '=', key.workspaceId)
    .where('id', '=', key.campaignId)
    .execute()

/** Postpones the events of completed calls: the sweeper writes them at `at`. */
export const postponeEvents = async (
  db: Db,
  workspaceId: number,
  callIds: readonly number[],
  at: Date,
): Promise<void> => {
  await db
    .updateTable('call')
    .set({ analysis_until: at })
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', callIds)
    .execute()
}

import type { Call } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'
import { selectMatchingCalls } from '../../queue/calls/select-calls.ts'

/** Finds the event of a call. It doesn't exist until the call is completed and analyzed. */
export const findEventOfCall = (db: Db, workspaceId: number, callId: number) =>
  db
    .selectFrom('event')
    .select(['id', 'type', 'created_at', 'unmatched', 'unmatched_count', 'matched_count'])
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', callId)
    .executeTakeFirst()

/** Finds an event by its ID, in any workspace. */
export const findEvent = (db: Db, eventId: string) =>
  db
    .selectFrom('event')
    .select([
      'id',
      'type',
      'created_at',
      'unmatched',
      'unmatched_count',
      'matched_count',
      'call_id',
      'workspace_id',
    ])
    .where('id', '=', eventId)
    .executeTakeFirst()

/** Returns the other calls of a call's contact that were queued at most `withinMs` before or after it, in order. */
export const findCallsAround = (db: Db, workspaceId: number, call: Call, withinMs: number) =>
  db
    .selectFrom('call')
    .select(['id', 'queued_at'])
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', call.contact.id)
    .where('id', '!=', call.id)
    .where('queued_at', '>=', new Date(Date.parse(call.queued_at) - withinMs))
    .where('queued_at', '<=', new Date(Date.parse(call.queued_at) + withinMs))
    .orderBy('id')
    .limit(10)
    .execute()

/** Returns the latest calls of a contact: real calls first, because test calls ring no phone. */
export const selectLatestCalls = (db: Db, workspaceId: number, contactId: number, limit: number) =>
  selectMatchingCalls(db, workspaceId, { contactId })
    .select(['call.id', 'call.test'])
    .orderBy('call.test')
    .orderBy('call.id', 'desc')
    .limit(limit)
    .execute()

/** Returns the workspace of a call; undefined if the call doesn't exist. */
export const findWorkspaceOfCall = async (db: Db, callId: number): Promise<number | undefined> =>
  (await db.selectFrom('call').select('workspace_id').where('id', '=', callId).executeTakeFirst())
    ?.workspace_id

/** Returns all workspaces, or only the one with `workspaceId`. */
export const selectStoryWorkspaces = (db: Db, workspaceId: number | undefined) =>
  db
    .selectFrom('workspace')
    .select(['id', 'name', 'country', 'time_zone as timeZone'])
    .$if(workspaceId !== undefined, (query) => query.where('id', '=', workspaceId ?? 0))
    .orderBy('id')
    .execute()

/** Maximum number of an event's deliveries that are shown. */
export const maxShownDeliveries = 100

/** Returns the deliveries of an event with their status. */
export const selectDeliveriesOfEvent = (db: Db, workspaceId: number, eventId: string) =>
  db
    .selectFrom('webhook_delivery')
    .leftJoin('webhook_subscription', 'webhook_subscription.id', 'webhook_delivery.subscription_id')
    .leftJoin('call_callback', 'call_callback.id', 'webhook_delivery.callback_id')
    .select([
      'webhook_delivery.id',
      'webhook_delivery.subscription_id',
      'webhook_delivery.target_url',
      'webhook_delivery.status',
      'webhook_delivery.next_attempt_at',
      'webhook_delivery.finished_at',
      'webhook_subscription.disabled_at',
      'webhook_subscription.ended_reason',
      'call_callback.ended_at as callback_ended_at',
    ])
    .where('webhook_delivery.workspace_id', '=', workspaceId)
    .where('webhook_delivery.event_id', '=', eventId)
    .orderBy('webhook_delivery.id')
    .limit(maxShownDeliveries)
    .execute()

/** Returns the delivery attempts of an event, in order. */
export const selectAttemptsOfEvent = (db: Db, workspaceId: number, eventId: string) =>
  db
    .selectFrom('delivery_attempt')
    .innerJoin('webhook_delivery', 'webhook_delivery.id', 'delivery_attempt.delivery_id')
    .select([
      'delivery_attempt.delivery_id',
      'delivery_attempt.number',
      'delivery_attempt.at',
      'delivery_attempt.duration_ms',
      'delivery_attempt.status_code',
      'delivery_attempt.error',
    ])
    .where('webhook_delivery.workspace_id', '=', workspaceId)
    .where('webhook_delivery.event_id', '=', eventId)
    .orderBy('delivery_attempt.id')
    .limit(500)
    .execute()

/** Checks that a delivery belongs to a call, because a call's page can replay only its own deliveries. */
export const isDeliveryOfCall = async (
  db: Db,
  workspaceId: number,
  { deliveryId, callId }: { deliveryId: number; callId: number },
): Promise<boolean> => {
  const row = await db
    .selectFrom('webhook_delivery')
    .innerJoin('event', 'event.id', 'webhook_delivery.event_id')
    .select('webhook_delivery.id')
    .where('webhook_delivery.workspace_id', '=', workspaceId)
    .where('webhook_delivery.id', '=', deliveryId)
    .where('event.call_id', '=', callId)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the attempts of a call, in order. */
export const findAttemptsOfCall = (db: Db, workspaceId: number, callId: number) =>
  db
    .selectFrom('call_attempt')
    .select([
      'id',
      'number',
      'provider',
      'started_at',
      'answered_at',
      'ended_at',
      'outcome',
      'ended_reason',
      'dialed_with',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', callId)
    .orderBy('number')
    .execute()

/** Returns at most `limit` of the agent's tool calls in a call, in order. */
export const findToolCallsOfCall = (db: Db, workspaceId: number, callId: number, limit: number) =>
  db
    .selectFrom('tool_call')
    .select([
      'id',
      'attempt_id',
      'tool_name',
      'arguments',
      'result',
      'is_error',
      'dry_run',
      'started_at',
      'duration_ms',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', callId)
    .orderBy('id')
    .limit(limit)
    .execute()

/** Returns the agent runtime's reports about a call that were changed when they arrived. */
export const findChangedReports = (db: Db, workspaceId: number, callId: number) =>
  db
    .selectFrom('attempt_report')
    .innerJoin('call_attempt', 'call_attempt.id', 'attempt_report.attempt_id')
    .select(['attempt_report.received_at', 'attempt_report.changes'])
    .where('call_attempt.workspace_id', '=', workspaceId)
    .where('call_attempt.call_id', '=', callId)
    .where(sql<boolean>`attempt_report.changes <> '{}'`)
    .orderBy('attempt_report.received_at')
    .limit(100)
    .execute()

/** Finds what a call's page shows in addition to the call: what it waits for, and the state of its analysis. */
export const findCallDetails = (db: Db, workspaceId: number, callId: number) =>
  db
    .selectFrom('call')
    .innerJoin('campaign', 'campaign.id', 'call.campaign_id')
    .innerJoin('phone_number', 'phone_number.id', 'call.phone_number_id')
    .select([
      'call.due_at',
      'call.analysis_until',
      'call.conversation_erased_at',
      'call.origin',
      'call.canceled_by',
      'call.queued_with',
      'campaign.status as campaign_status',
      'campaign.paused_reason',
      'campaign.max_concurrent_calls',
      'campaign.retry',
      'phone_number.label as number_label',
    ])
    .where('call.workspace_id', '=', workspaceId)
    .where('call.id', '=', callId)
    .executeTakeFirst()

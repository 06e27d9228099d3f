import type { Db } from '../../db/schema.ts'

/** The event of a call, once there is one. */
export const findEventOfCall = (db: Db, workspaceId: number, callId: number) =>
  db
    .selectFrom('event')
    .select(['id', 'type', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', callId)
    .executeTakeFirst()

/** To whom an event goes, with how far that is. */
export const selectDeliveriesOfEvent = (db: Db, workspaceId: number, eventId: string) =>
  db
    .selectFrom('webhook_delivery')
    .leftJoin('webhook_subscription', 'webhook_subscription.id', 'webhook_delivery.subscription_id')
    .select([
      'webhook_delivery.id',
      'webhook_delivery.subscription_id',
      'webhook_delivery.target_url',
      'webhook_delivery.status',
      'webhook_delivery.next_try_at',
      'webhook_delivery.finished_at',
      'webhook_subscription.disabled_at',
    ])
    .where('webhook_delivery.workspace_id', '=', workspaceId)
    .where('webhook_delivery.event_id', '=', eventId)
    .orderBy('webhook_delivery.id')
    .limit(100)
    .execute()

/** Every try of these deliveries, in order. */
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

/** Whether a dead delivery belongs to a call: a page replays its own only. */
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

/** Subscriptions that do not work, those that were disabled first. */
export const selectFailingSubscriptions = (db: Db, workspaceId: number) =>
  db
    .selectFrom('webhook_subscription')
    .select(['id', 'target_url', 'failing_since', 'disabled_at'])
    .where('workspace_id', '=', workspaceId)
    .where((eb) => eb.or([eb('disabled_at', 'is not', null), eb('failing_since', 'is not', null)]))
    .orderBy('disabled_at')
    .orderBy('id')
    .limit(50)
    .execute()

/** How many deliveries are dead, counted no further than `most`. */
export const countExhaustedDeliveries = async (db: Db, workspaceId: number, max: number): Promise<number> => {
  const exhausted = db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'dead')
    .limit(max)
  const { count } = await db
    .selectFrom(exhausted.as('dead'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

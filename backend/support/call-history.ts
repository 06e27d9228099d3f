import type { Call } from '@outdial/contract'
import { findChanges } from '../contacts/contact-history.ts'
import { dayMs, minuteMs } from '../core/durations.ts'
import type { Db } from '../db/schema.ts'
import {
  findAttemptsOfCall,
  findCallDetails,
  findCallsAround,
  findChangedReports,
  findEventOfCall,
  findToolCallsOfCall,
} from './call-queries.ts'
import { toChangeSteps } from './contact-changes.ts'
import { describeActor, describeOrigin, toText } from './describe-actor.ts'
import { readDeliveries } from './describe-deliveries.ts'
import { selectRequestsOfCall } from './request-queries.ts'

/** What's stored about a call. */
export type CallHistory = NonNullable<Awaited<ReturnType<typeof readCallHistory>>>

/** More than agents normally make in one call. */
const maxToolCalls = 500

const maxChanges = 25

/** Reads what's stored about a call. Returns undefined if its workspace was just deleted. */
export async function readCallHistory(db: Db, workspaceId: number, call: Call) {
  const queuedAt = new Date(call.queued_at)
  const [details, attempts, toolCalls, changedReports, event, requests, changes, otherCalls] =
    await Promise.all([
      findCallDetails(db, workspaceId, call.id),
      findAttemptsOfCall(db, workspaceId, call.id),
      findToolCallsOfCall(db, workspaceId, call.id, maxToolCalls),
      findChangedReports(db, workspaceId, call.id),
      findEventOfCall(db, workspaceId, call.id),
      selectRequestsOfCall(db, workspaceId, call.id),
      findChanges(db, workspaceId, call.contact.id, maxChanges),
      findCallsAround(db, workspaceId, call, dayMs),
    ])
  if (details === undefined) return undefined
  // The request that queues a call changes the contact first.
  const from = new Date(queuedAt.getTime() - minuteMs)
  const isDuringCall = ({ at }: { at: Date }) =>
    at >= from && (call.ended_at === null || at <= new Date(call.ended_at))
  return {
    call,
    details,
    attempts,
    toolCalls,
    changedReports,
    event,
    requests,
    otherCalls,
    origin: await describeOrigin(db, workspaceId, details.origin),
    canceledBy:
      details.canceled_by === null ? null : toText(await describeActor(db, workspaceId, details.canceled_by)),
    changes: await toChangeSteps(db, workspaceId, changes.filter(isDuringCall)),
    ...(await readDeliveries(db, workspaceId, event?.id)),
  }
}

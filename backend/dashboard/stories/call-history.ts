import type { Call } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { dayMs, minuteMs } from '../../platform/core/durations.ts'
import { findDoNotCallEntry } from '../../queue/calls/check-do-not-call.ts'
import { countCallsAhead, findWaits } from '../../queue/calls/when-and-why.ts'
import { findChanges } from '../../queue/contacts/contact-history.ts'
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
import { describeDoNotCall, type ListedNumber } from './describe-do-not-call.ts'
import { selectRequestsOfCall } from './request-queries.ts'
import type { StoryWorkspace } from './story.ts'

/** The stored history of a call. */
export type CallHistory = NonNullable<Awaited<ReturnType<typeof readCallHistory>>>

/** Maximum number of tool calls that the history of a call shows. Agents normally make fewer. */
const maxToolCalls = 500

const maxChanges = 25

/** Reads what's stored about a call. Returns undefined if its workspace was just deleted. */
export async function readCallHistory(
  deps: Pick<Deps, 'db' | 'clock' | 'config'>,
  workspace: Pick<StoryWorkspace, 'id' | 'timeZone'>,
  call: Call,
) {
  const { db, clock, config } = deps
  const { id: workspaceId } = workspace
  const now = clock.now()
  const queuedAt = new Date(call.queued_at)
  const [details, attempts, toolCalls, changedReports, event, requests, changes, otherCalls, waits] =
    await Promise.all([
      findCallDetails(db, workspaceId, call.id),
      findAttemptsOfCall(db, workspaceId, call.id),
      findToolCallsOfCall(db, workspaceId, call.id, maxToolCalls),
      findChangedReports(db, workspaceId, call.id),
      findEventOfCall(db, workspaceId, call.id),
      selectRequestsOfCall(db, workspaceId, call.id),
      findChanges(db, workspaceId, call.contact.id, maxChanges),
      findCallsAround(db, workspaceId, call, dayMs),
      findWaits(deps, workspaceId, [call.id], now),
    ])
  if (details === undefined) return undefined
  const wait = waits.get(call.id)
  // Includes the minute before, because the request that queues a call changes the contact first.
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
    /** Undefined if the call isn't waiting. */
    wait,
    callsAhead: wait?.reason === 'campaign_limit' ? await countCallsAhead(db, wait, now) : 0,
    simulationSpeed: config.simulationSpeed,
    doNotCall: await readDoNotCall(deps, workspace, call),
    origin: await describeOrigin(db, workspaceId, details.origin),
    canceledBy:
      details.canceled_by === null ? null : toText(await describeActor(db, workspaceId, details.canceled_by)),
    changes: await toChangeSteps(db, workspaceId, changes.filter(isDuringCall)),
    ...(await readDeliveries(db, workspaceId, event?.id)),
  }
}

/** Returns who put the number on the do-not-call list, if that ended the call and it's still on the list. */
async function readDoNotCall(
  deps: Pick<Deps, 'db' | 'clock'>,
  workspace: Pick<StoryWorkspace, 'id' | 'timeZone'>,
  call: Call,
): Promise<ListedNumber | undefined> {
  if (call.ended_reason !== 'do_not_call' || call.to_number === '') return undefined
  const entry = await findDoNotCallEntry(deps.db, workspace.id, call.to_number)
  return entry && describeDoNotCall(deps, workspace, entry)
}

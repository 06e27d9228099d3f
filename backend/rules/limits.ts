import { Temporal } from 'temporal-polyfill'
import type { LimitingRule } from '../db/call-rules.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findRemaining, lockLimitUses, type Remaining, stopCampaigns } from './limit-store.ts'

export {
  addAttempts,
  addSeconds,
  lockLimitUses,
  removeAttempt,
  requeueLimitedCampaigns,
} from './limit-store.ts'

// Limits of a workspace: call attempts from each of its numbers on a day, and minutes of conversation in a month.

/** A campaign whose workspace has limits. */
export interface LimitedCampaign {
  id: number
  workspaceId: number
  phoneNumberId: number
}

/** Which limit stops a campaign, and until when. */
export interface Stop {
  campaignId: number
  until: Date
  by: LimitingRule
}

interface LimitOptions {
  now: Date
  callSeconds: number
}

/**
 * Reduces the shares of campaigns to what limits leave. Locks the use of the limits until the transaction ends. Each call in
 * progress counts with the longest time that it can take.
 *
 * @param shares calls by campaign ID
 * @param options.callSeconds the longest time that a call can take
 */
export async function applyLimits(
  { db }: Pick<Deps, 'db'>,
  campaigns: readonly LimitedCampaign[],
  shares: ReadonlyMap<number, number>,
  { now, callSeconds }: LimitOptions,
): Promise<{ shares: Map<number, number>; stops: Stop[] }> {
  const limited = campaigns.filter(({ id }) => shares.has(id))
  if (limited.length === 0) return { shares: new Map(shares), stops: [] }
  await lockLimitUses(db, [...new Set(limited.map(({ workspaceId }) => workspaceId))])
  const remaining = await findRemaining(
    db,
    limited.map(({ phoneNumberId }) => phoneNumberId),
    now,
  )
  const attempts = new Map(remaining.map((number) => [number.phoneNumberId, number.attempts ?? Infinity]))
  const calls = new Map(remaining.map((number) => [number.workspaceId, countFreeCalls(number, callSeconds)]))
  const left = new Map(shares)
  const stops: Stop[] = []
  for (const { id, workspaceId, phoneNumberId } of limited) {
    const number = remaining.find((each) => each.phoneNumberId === phoneNumberId)
    if (number === undefined) continue
    const ofNumber = Math.max(0, attempts.get(phoneNumberId) ?? Infinity)
    const ofWorkspace = calls.get(workspaceId) ?? Infinity
    const share = Math.min(shares.get(id) ?? 0, ofNumber, ofWorkspace)
    attempts.set(phoneNumberId, ofNumber - share)
    calls.set(workspaceId, ofWorkspace - share)
    if (share > 0) left.set(id, share)
    else left.delete(id)
    // What only other campaigns of this claim took doesn't stop a campaign: it has its turn again.
    const by = findStop(number, callSeconds)
    if (by !== null) stops.push({ campaignId: id, until: findEnd(by, number.timeZone, now), by })
  }
  return { shares: left, stops }
}

/** Returns the limit that allows a number no call. Null if there's none. */
function findStop(number: Remaining, callSeconds: number): LimitingRule | null {
  if (number.attempts !== null && number.attempts <= 0) return 'number_limit'
  return countFreeCalls(number, callSeconds) === 0 ? 'minutes_limit' : null
}

/** Returns how many calls can start so that the month's minutes last, however long they take. */
const countFreeCalls = ({ seconds, live }: Remaining, callSeconds: number): number =>
  seconds === null ? Infinity : Math.max(0, Math.floor(seconds / callSeconds) - live)

/** Returns when a limit ends: the next day or month in the workspace's time zone. */
function findEnd(by: LimitingRule, timeZone: string, now: Date): Date {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
  const next = by === 'number_limit' ? today.add({ days: 1 }) : today.with({ day: 1 }).add({ months: 1 })
  return new Date(next.toZonedDateTime(timeZone).epochMilliseconds)
}

/**
 * Makes campaigns that only a limit stops wait until it ends. In a transaction of its own, after the claim has settled their turns:
 * it looks again, because a limit can have been raised, or a call have ended, meanwhile.
 */
export async function settleStops(
  deps: Pick<Deps, 'db' | 'notify'>,
  campaigns: readonly LimitedCampaign[],
  stops: readonly Stop[],
  options: LimitOptions,
): Promise<void> {
  if (stops.length === 0) return
  const stopped = campaigns.filter(({ id }) => stops.some(({ campaignId }) => campaignId === id))
  const wanted = new Map(stopped.map(({ id }) => [id, 1]))
  await inTransaction(deps, async (tx) => {
    const { stops: still } = await applyLimits(tx, stopped, wanted, options)
    await stopCampaigns(tx.db, still)
  })
}

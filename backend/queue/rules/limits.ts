import { Temporal } from 'temporal-polyfill'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import type { CallRules, LimitingRule } from '../../platform/db/call-rules.ts'
import type { Db } from '../../platform/db/schema.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { doRulesApply } from './call-rules.ts'
import {
  findRemaining,
  findWorkspacesWithStops,
  hasStoppedCampaigns,
  lockLimitUses,
  movePeriodsBack,
  type Remaining,
  requeueLimitedCampaigns,
  stopCampaigns,
  tryLockLimitUses,
} from './limit-store.ts'

export {
  addAttempts,
  addSeconds,
  lockLimitUses,
  removeAttempt,
  requeueLimitedCampaigns,
} from './limit-store.ts'

// Limits of a workspace: call attempts from each of its numbers on a day, and minutes of conversation in a month.

/** Returns true if there's a limit by day or month. */
export const hasLimits = ({ maxAttemptsPerOwnNumber, maxMinutesPerMonth }: CallRules): boolean =>
  maxAttemptsPerOwnNumber !== null || maxMinutesPerMonth !== null

/** A campaign whose workspace has limits. */
export interface LimitedCampaign {
  id: number
  workspaceId: number
  phoneNumberId: number
}

/** The limit that stops a campaign, and when it ends. */
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
 * Reduces the shares of campaigns to what limits still allow. Counts each call in progress with the longest time that it can
 * take.
 *
 * Locks the use of the workspaces' limits until the transaction ends. If another transaction has locked the use of a
 * workspace's limits, the campaigns of that workspace get no calls in this turn. Waiting for the lock would make all other
 * workspaces wait, too.
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
  const workspaceIds = [...new Set(limited.map(({ workspaceId }) => workspaceId))]
  const locked = await tryLockLimitUses(db, workspaceIds)
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
    if (!locked.has(workspaceId)) {
      left.delete(id)
      continue
    }
    const ofNumber = Math.max(0, attempts.get(phoneNumberId) ?? Infinity)
    const ofWorkspace = calls.get(workspaceId) ?? Infinity
    const share = Math.min(shares.get(id) ?? 0, ofNumber, ofWorkspace)
    attempts.set(phoneNumberId, ofNumber - share)
    calls.set(workspaceId, ofWorkspace - share)
    if (share > 0) left.set(id, share)
    else left.delete(id)
    // A campaign isn't stopped if only other campaigns of this claim took its share: it gets another turn.
    const stop = findStop(number, { now, callSeconds })
    if (stop !== null) stops.push({ campaignId: id, ...stop })
  }
  return { shares: left, stops }
}

/** Returns which limits stop calls from numbers now, by the number's ID. Leaves out numbers that can call. */
export async function findStopsOfNumbers(
  db: Db,
  phoneNumberIds: readonly number[],
  options: LimitOptions,
): Promise<Map<number, LimitingRule>> {
  const remaining = await findRemaining(db, phoneNumberIds, options.now)
  const stops = remaining.map((number) => [number.phoneNumberId, findStop(number, options)?.by] as const)
  return new Map(stops.flatMap(([id, by]) => (by === undefined ? [] : [[id, by]])))
}

/** Returns the limit that stops calls from a number, and when it ends. Null if no limit does. */
function findStop(number: Remaining, { now, callSeconds }: LimitOptions): Omit<Stop, 'campaignId'> | null {
  if (number.attempts !== null && number.attempts <= 0)
    return { by: 'number_limit', until: findNextStart('day', number.timeZone, now) }
  if (countFreeCalls(number, callSeconds) > 0) return null
  // If only calls in progress reserve the rest of the minutes, the end of one of them puts the campaign back in the queue.
  // That's after `callSeconds` at the latest.
  const isReserved = countFreeCalls({ ...number, live: 0 }, callSeconds) > 0
  return {
    by: 'minutes_limit',
    until: isReserved
      ? new Date(now.getTime() + callSeconds * secondMs)
      : findNextStart('month', number.timeZone, now),
  }
}

/** Returns how many calls can start without exceeding the month's minutes, however long the calls take. */
const countFreeCalls = ({ seconds, live }: Remaining, callSeconds: number): number =>
  seconds === null ? Infinity : Math.max(0, Math.floor(seconds / callSeconds) - live)

/** Returns when the next day or month begins in a time zone. */
function findNextStart(unit: 'day' | 'month', timeZone: string, now: Date): Date {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
  const next = unit === 'day' ? today.add({ days: 1 }) : today.with({ day: 1 }).add({ months: 1 })
  return new Date(next.toZonedDateTime(timeZone).epochMilliseconds)
}

/**
 * Makes campaigns that only a limit stops wait until the limit ends. Runs in a separate transaction, after the claim has
 * settled the campaigns' turns. Checks the limits again, because a limit can have been raised meanwhile, or a call can have
 * ended.
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

/**
 * Gives a turn to each campaign of a workspace that the limit of minutes stops, if the minutes are enough for a call again.
 * Call it last in a transaction that has locked the use of the workspace's limits.
 *
 * @param campaigns the campaigns whose calls have ended
 */
export async function requeueAfterCalls(
  db: Db,
  workspaceId: number,
  campaigns: readonly { id: number; phoneNumberId: number }[],
  { now, callSeconds }: LimitOptions,
): Promise<void> {
  if (!(await hasStoppedCampaigns(db, workspaceId, 'minutes_limit'))) return
  const [first] = campaigns
  const [remaining] = first === undefined ? [] : await findRemaining(db, [first.phoneNumberId], now)
  if (remaining === undefined || countFreeCalls(remaining, callSeconds) === 0) return
  const campaignIds = campaigns.map(({ id }) => id)
  await requeueLimitedCampaigns(db, workspaceId, { by: 'minutes_limit', campaignIds })
}

/**
 * Adjusts the use of limits to a new time zone of the workspace, in which days and months begin at other times. Call it last in
 * the transaction that changes the time zone.
 */
export async function followTimeZone(
  { db, clock, notify }: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
): Promise<void> {
  // Waits for claims that have computed the end of a day in the former time zone.
  await lockLimitUses(db, [workspaceId])
  await movePeriodsBack(db, workspaceId, clock.now())
  await requeueLimitedCampaigns(db, workspaceId)
  notify.callQueued()
}

/**
 * Finds workspaces with campaigns that a limit stopped before the service began to simulate calls, because limits don't apply to
 * simulated calls. Returns an empty list if calls aren't simulated.
 */
export const findOutdatedStops = async ({ config, db }: Pick<Deps, 'config' | 'db'>): Promise<number[]> =>
  doRulesApply(config) ? [] : findWorkspacesWithStops(db)

/** Gives a turn to each campaign of a workspace that a limit stops. */
export const endStops = (deps: Pick<Deps, 'db' | 'notify'>, workspaceId: number): Promise<void> =>
  inTransaction(deps, ({ db }) => requeueLimitedCampaigns(db, workspaceId))

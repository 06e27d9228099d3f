import type { CampaignStatus, WaitingFor } from '@outdial/contract'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { isSpecialNumber } from '../../platform/core/phone.ts'
import {
  campaignRequirements,
  consentOfContact,
  type DelayingRule,
  type LimitingRule,
  useOfCallee,
} from '../../platform/db/call-rules.ts'
import type { Db } from '../../platform/db/schema.ts'
import type { CallSettings } from '../../platform/db/tables/call-tables.ts'
import { type CallRules, findCallRules } from '../rules/call-rules.ts'
import { type Delay, maxWaitMs, type NeverReason, planPermittedCall } from '../rules/plan-call.ts'
import type { CallPlan } from '../scheduling/calling-hours.ts'
import { timeZonesOfNumber } from '../scheduling/time-zones.ts'
import { currentSettings, findSettingChanges } from './call-settings.ts'
import { freeCapacity, isDue, isNumberBusy, limitedBy } from './can-call.ts'

// Decides when a waiting call can be placed, and why it waits until then, from the current settings. This file decides for one
// call. can-call.ts decides in SQL, for counts and for claims. A test compares the two.

/** The reason why a call waits. The API's `concurrency` is two reasons here, because different things end them. */
type WaitReason = Exclude<WaitingFor, 'concurrency'> | 'campaign_limit' | 'number_busy'

/** The facts that decide what a call waits for. */
interface WaitState {
  campaign_status: CampaignStatus
  agent_status: 'draft' | 'live' | 'paused'
  number_status: 'active' | 'retired'
  test: boolean
  attempts: number
  due_at: Date
  next_attempt_at: Date
  delayed_by: DelayingRule | null
  /** The limit that stops the campaign. */
  limited_by: LimitingRule | null
  is_number_busy: boolean
  /** How many more calls the campaign can start. Not positive if it's at its limit. */
  free_capacity: number
}

/** Decides what a queued call waits for; null if nothing delays it. Reasons that a person can resolve come first. */
function decideWaitReason(call: WaitState, now: Date): WaitReason | null {
  if (call.campaign_status === 'paused') return 'campaign_paused'
  if (call.agent_status !== 'live') return 'agent_not_live'
  if (call.number_status !== 'active') return 'number_not_active'
  if (call.due_at > now) return call.attempts > 0 ? 'retry' : 'schedule'
  if (call.next_attempt_at > now) return call.delayed_by ?? 'calling_hours'
  if (call.test) return null
  if (call.limited_by !== null) return call.limited_by
  if (call.free_capacity <= 0) return 'campaign_limit'
  return call.is_number_busy ? 'number_busy' : null
}

/** Reasons that only a person can resolve. No time is promised while one of them applies. */
export const actionNeededReasons = ['campaign_paused', 'agent_not_live', 'number_not_active'] as const

type WaitingCall = Awaited<ReturnType<typeof selectWaitingCalls>>[number]

/** The time when a waiting call can be placed, and why it waits until then. */
export interface Wait {
  call: WaitingCall
  reason: WaitReason | null
  /** Why the call ends without another attempt when its turn comes. Null if it can be placed. */
  never: NeverReason | 'number_type_not_allowed' | null
  /** The time of the next attempt, always in the future. Null if the call is due, can't be placed, or waits for a person. */
  nextAt: Date | null
  /**
   * The earliest time to place the call once a person has resolved `reason`. Null if that's at once, or if no person has to
   * act.
   */
  notBefore: Date | null
  /** The time zones whose local time must be within calling hours. Empty for a test call, which ignores them. */
  zones: readonly string[]
  zoneSource: CallPlan['source']
  /** Why the next attempt is later than the due time. Empty if it isn't later, or if a limit by day or month stops the call. */
  delays: readonly Delay[]
  /** True if the phone number has time zones, but their calling hours never overlap. */
  hasNoCommonHour: boolean
  /** True if the call expires before it can be placed. */
  isTooLate: boolean
  /** The settings that have changed since the call was queued, with their current values. */
  changes: Partial<CallSettings>
}

/**
 * Decides when a waiting call can be placed, and why it waits until then.
 *
 * Calling hours can end while a call waits for other calls, and the dialer reschedules the call only when it claims it. So the
 * stored time is only the earliest time of the next claim. This function plans the time of the call from the current settings.
 */
export function planWait(call: WaitingCall, rules: CallRules | null, now: Date): Wait {
  const callee = {
    phoneNumber: call.to_number,
    timeZone: call.contact_time_zone,
    consent: call.consent,
    use: call.use,
    isExempt: call.test || (call.exempt && call.attempts === 0),
  }
  const campaign = {
    callingHours: call.calling_hours,
    timeZone: call.campaign_time_zone,
    requires: call.requires,
  }
  const reason = decideWaitReason(call, now)
  const isLimited = reason === 'number_limit' || reason === 'minutes_limit'
  const earliest = isLimited ? (call.limited_until ?? now) : now
  const from = call.next_attempt_at > earliest ? call.next_attempt_at : earliest
  const { due_at: dueAt } = call
  const plan = planPermittedCall(call.test ? null : rules, campaign, callee, { from, dueAt })
  const isTypeAllowed = call.calls_special_numbers || !isSpecialNumber(call.to_number)
  const neverReal = isTypeAllowed ? plan.never : 'number_type_not_allowed'
  const never = call.test ? null : neverReal
  const at = call.test ? from : plan.at
  // A limit can stop the call until after it expires.
  const isTooLate = !call.test && at.getTime() >= call.due_at.getTime() + maxWaitMs
  const later = never === null && at > now && !isTooLate ? at : null
  const needsAction = actionNeededReasons.some((each) => each === reason)
  const isTime = reason === 'schedule' || reason === 'retry'
  const isMoved = never !== null || at > from
  const delayedBy = isMoved ? plan.delayedBy : call.next_attempt_at > now ? call.delayed_by : null
  // The stored time is already within the hours. Only a plan that starts at the due time shows which hours delay the call.
  const ofHours = () =>
    planPermittedCall(
      rules,
      campaign,
      { ...callee, isExempt: true },
      { from: dueAt > now ? dueAt : now, dueAt },
    )
  return {
    call,
    reason: needsAction || isTime || isLimited || !isMoved ? reason : (plan.delayedBy ?? 'calling_hours'),
    never,
    nextAt: needsAction ? null : later,
    notBefore: needsAction ? later : null,
    zones: call.test ? [] : plan.zones,
    zoneSource: plan.source,
    delays:
      later === null || call.test || isLimited ? [] : delayedBy === null ? ofHours().delays : [delayedBy],
    isTooLate,
    hasNoCommonHour: plan.source === 'campaign' && timeZonesOfNumber(call.to_number).length > 0,
    changes: findSettingChanges(call.queued_with ?? {}, {
      ...call.settings,
      ...(!call.test && { time_zones: [...plan.zones], time_zone_source: plan.source }),
    }),
  }
}

/** Finds, by call ID, when waiting calls can be placed, and why they wait until then. Leaves out calls that aren't queued. */
export async function findWaits(
  deps: Pick<Deps, 'config' | 'db'>,
  workspaceId: number,
  callIds: readonly number[],
  now: Date,
): Promise<Map<number, Wait>> {
  if (callIds.length === 0) return new Map()
  const calls = await selectWaitingCalls(deps.db, workspaceId, callIds, now)
  const rules = await findCallRules(deps, workspaceId)
  return new Map(calls.map((call) => [call.id, planWait(call, rules, now)]))
}

/** The campaign, agent, or number that a person makes ready to call. */
export type Readied = { campaign_id: number } | { agent_id: number } | { phone_number_id: number }

/**
 * Plans the real calls that wait for a campaign, agent, or number, as if it were already ready to call. Returns the first
 * `maxCallsAhead` calls, in the order of their next attempts, and the number of all waiting calls.
 */
export async function planReadied(
  deps: Pick<Deps, 'config' | 'db'>,
  workspaceId: number,
  readied: Readied,
  now: Date,
): Promise<{ count: number; waits: Wait[] }> {
  const { db } = deps
  const [[column, id] = ['', 0]] = Object.entries(readied)
  const queued = db
    .selectFrom('call')
    .where('workspace_id', '=', workspaceId)
    .where(sql.ref(`call.${column}`), '=', id)
    .where('status', '=', 'queued')
    .where('test', '=', false)
  const { count } = await queued
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const first = await queued
    .select('id')
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(maxCallsAhead)
    .execute()
  const ids = first.map((call) => call.id)
  const ready = {
    ...('campaign_id' in readied && { campaign_status: 'active' as const }),
    ...('agent_id' in readied && { agent_status: 'live' as const }),
    ...('phone_number_id' in readied && { number_status: 'active' as const }),
  }
  const calls = await selectWaitingCalls(db, workspaceId, ids, now)
  const rules = await findCallRules(deps, workspaceId)
  return { count: Number(count), waits: calls.map((call) => planWait({ ...call, ...ready }, rules, now)) }
}

const selectWaitingCalls = async (db: Db, workspaceId: number, callIds: readonly number[], now: Date) => {
  const rows = await db
    .selectFrom('call')
    .innerJoin('campaign', 'campaign.id', 'call.campaign_id')
    .innerJoin('agent', 'agent.id', 'call.agent_id')
    .innerJoin('phone_number', 'phone_number.id', 'call.phone_number_id')
    .innerJoin('contact', 'contact.id', 'call.contact_id')
    .innerJoin('workspace', 'workspace.id', 'call.workspace_id')
    .leftJoin('campaign_queue', 'campaign_queue.campaign_id', 'call.campaign_id')
    .where('call.workspace_id', '=', workspaceId)
    .where('call.id', '=', sql<number>`any(${callIds}::bigint[])`)
    .where('call.status', '=', 'queued')
    .select([
      'call.id',
      'call.campaign_id',
      'call.agent_id',
      'call.to_number',
      'call.test',
      'call.attempts',
      'call.due_at',
      'call.next_attempt_at',
      'call.queued_with',
      'call.delayed_by',
      limitedBy(now, sql`call.test`).as('limited_by'),
      'campaign_queue.limited_until',
      'workspace.calls_special_numbers',
      'call.exempt',
      consentOfContact.as('consent'),
      useOfCallee.as('use'),
      'campaign.name as campaign_name',
      'campaign.status as campaign_status',
      'campaign.paused_reason',
      'campaign.calling_hours',
      campaignRequirements.as('requires'),
      'campaign.time_zone as campaign_time_zone',
      'campaign.max_concurrent_calls',
      'campaign.retry',
      'agent.name as agent_name',
      'agent.status as agent_status',
      'phone_number.label as number_label',
      'phone_number.status as number_status',
      'contact.first_name',
      'contact.last_name',
      'contact.time_zone as contact_time_zone',
      sql<boolean>`${isNumberBusy}`.as('is_number_busy'),
      freeCapacity().as('free_capacity'),
      currentSettings.as('settings'),
    ])
    .execute()
  return rows.map((row) => ({ ...row, next_attempt_at: row.next_attempt_at ?? row.due_at }))
}

/** The maximum number of calls that are counted or planned. */
export const maxCallsAhead = 1_000

/** Counts the due calls of a call's campaign that the dialer claims before it, up to `maxCallsAhead`. */
export async function countCallsAhead(db: Db, { call }: Wait, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from call
      where call.campaign_id = ${call.campaign_id} and ${isDue(now)}
        and (call.next_attempt_at, call.id) < (${call.next_attempt_at}, ${call.id})
      limit ${maxCallsAhead}
    ) as ahead`.execute(db)
  return rows[0]?.count ?? 0
}

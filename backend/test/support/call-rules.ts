import type { AddContact } from '@outdial/contract'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import type { ClaimedAttempt } from '../../calling/dialer/claim-calls.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { parseConfig } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { continueRescheduling, rescheduleWorkspace } from '../../queue/calls/reschedule-calls.ts'
import { parseCallRules, setCallRules } from '../../queue/rules/call-rules.ts'
import { getCall, seedCall } from './calls.ts'
import { claimAndSettle } from './claim-and-settle.ts'
import { ManualClock } from './clock.ts'
import type { TestDeps } from './deps.ts'
import type { Seed } from './factories.ts'
import { realCalls } from './service.ts'
import { useCallsWorld } from './world.ts'

/** Rules as the form sends them if an owner turns all of them off. */
const rulesOff = {
  countries: '',
  hours_by_law: false,
  closed_dates: '',
  max_attempts_per_day: '',
  max_attempts_per_30_days: '',
  max_attempts_per_own_number: '',
  max_minutes_per_month: '',
  consent_required: 'none' as const,
  consent_max_age_days: '',
}

export type TypedRules = Partial<Parameters<typeof parseCallRules>[0]>

/** Sets the rules of a workspace. Rules that aren't in `rules` are off. */
export const setRules = (deps: Pick<Deps, 'db' | 'clock'>, seed: Seed, rules: TypedRules): Promise<void> =>
  setCallRules(deps, seed.workspaceId, parseCallRules({ ...rulesOff, ...rules }), {
    kind: 'member',
    id: seed.userId,
  })

/** Sets the rules of a workspace as the page does, and then reschedules the workspace's waiting calls as the sweeper does. */
export async function changeRules(deps: TestDeps, seed: Seed, rules: TypedRules): Promise<void> {
  await rescheduleWorkspace(deps, seed.workspaceId)
  await setRules(deps, seed, rules)
  await followRules(deps, seed)
}

/** Reschedules the waiting calls of a workspace, as the sweeper does after the rules have changed. */
export async function followRules(deps: TestDeps, { workspaceId }: Pick<Seed, 'workspaceId'>): Promise<void> {
  const campaigns = deps.db.selectFrom('campaign').select('id').where('workspace_id', '=', workspaceId)
  for (const { id: campaignId } of await campaigns.execute())
    while (await continueRescheduling(deps, { workspaceId, campaignId }));
}

const secretKey = 'test-key-of-at-least-thirty-two-characters'

/** Settings of a service whose calls are real, so that the rules apply. */
export const realConfig = parseConfig({ SECRET_KEY: secretKey, LOG_LEVEL: 'silent', ...realCalls })

export const realLease = { provider: 'http', workerId: crypto.randomUUID(), leaseMs: 60_000 }

/**
 * Gives every test a workspace whose calls are real, and functions that act as its members and workers.
 *
 * @param startAt when the clock starts; by default, on Monday, May 4, 2026, at 11:00 in New York
 */
export function useRulesWorld(startAt?: string) {
  const world = useCallsWorld(() => ({
    config: realConfig,
    ...(startAt !== undefined && { clock: new ManualClock(startAt) }),
  }))
  const claim = (): Promise<ClaimedAttempt[]> => claimAndSettle(world.deps, realLease, 50)
  return {
    database: world.database,
    get deps() {
      return world.deps
    },
    get seed() {
      return world.seed
    },
    setRules: (rules: TypedRules) => setRules(world.deps, world.seed, rules),
    setRulesOf: (seed: Seed, rules: TypedRules) => setRules(world.deps, seed, rules),
    queueIn: (seed: Seed, number: string, fields: Partial<AddContact>) =>
      seedCall(world.deps, seed, number, fields),
    changeRules: (rules: TypedRules) => changeRules(world.deps, world.seed, rules),
    queue: (number: string, fields: Partial<AddContact> = {}) =>
      seedCall(world.deps, world.seed, number, fields),
    read: (id: number) => getCall(world.deps, world.seed, id),
    claim,
    /** Claims a call, which must be the only one that's due. */
    claimOne: async (id: number): Promise<ClaimedAttempt> => {
      const [attempt, ...others] = await claim()
      if (attempt?.request.callId !== id || others.length > 0)
        throw new Error(`call ${id} wasn't claimed alone`)
      return attempt
    },
    finish: (attempt: ClaimedAttempt, ...[outcome, endedReason]: Parameters<typeof emptyResult>) =>
      finishAttempt(world.deps, attempt, {
        ...emptyResult(outcome, endedReason),
        ...(outcome === 'answered' && { answeredAt: world.deps.clock.now() }),
      }),
    advanceHours: (hours: number) => world.deps.clock.advance(hours * 3_600_000),
  }
}

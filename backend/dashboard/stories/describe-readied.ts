import type { Deps } from '../../deps.ts'
import { createTimeFormats, formatCount, formatPlural } from '../../platform/views/format.ts'
import { maxCallsAhead, planReadied, type Readied, type Wait } from '../../queue/calls/when-and-why.ts'
import { formatNextAttempt } from './describe-waiting.ts'

/**
 * Says how many waiting calls start once a campaign, agent, or number is ready to call. Pages show it before that
 * change, to ask for confirmation, and after it. Returns null if no real calls wait, so there's nothing to confirm.
 */
export async function describeReadied(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  workspace: { id: number; timeZone: string },
  readied: Readied,
): Promise<string | null> {
  const now = deps.clock.now()
  const { count, waits } = await planReadied(deps, workspace.id, readied, now)
  if (count === 0) return null
  const waiting = `${formatPlural(count, 'call is', 'calls are')} waiting.`
  const starting = waits.filter(({ reason }) => reason === null)
  if (starting.length > 0) return `${waiting} ${describeStarting(starting, count)}`
  const [earliest] = waits
    .filter(({ nextAt }) => nextAt !== null)
    .sort((a, b) => Number(a.nextAt) - Number(b.nextAt))
  if (earliest === undefined) return `${waiting} ${describeOtherWait(waits, count)}`
  const at = formatNextAttempt(earliest, now, createTimeFormats(now, workspace.timeZone))
  if (count === 1) return `${waiting} It isn't placed before ${at}.`
  return `${waiting} None can start right away. The first isn't placed before ${at}.`
}

/** Says how many calls start, if nothing changes until then. */
function describeStarting(starting: readonly Wait[], count: number): string {
  const limits = new Map(starting.map(({ call }) => [call.campaign_id, call.max_concurrent_calls]))
  const limit = [...limits.values()].reduce((sum, max) => sum + max, 0)
  if (count === 1) return 'It can start right away.'
  const more = starting.length === maxCallsAhead ? ' or more' : ''
  const atOnce = starting.length > limit ? `, up to ${formatCount(limit)} at the same time` : ''
  return `${formatCount(starting.length)}${more} of them can start right away${atOnce}.`
}

const otherWaits: Record<NonNullable<Wait['reason']>, string> = {
  campaign_paused: 'the campaign to be active',
  agent_not_live: 'the agent to be Live',
  number_not_active: 'an active phone number',
  schedule: 'a scheduled time',
  retry: 'a retry delay',
  calling_hours: 'calling hours',
  frequency: 'a time when the number may be called again',
  campaign_limit: 'other calls in the campaign to end',
  number_busy: 'another call to the same number to end',
  number_limit: "the next day, because the day's calls from the number are used up",
  minutes_limit: "minutes, because too few of the month's are left",
}

/** Says what calls wait for if none of them waits for a time. */
function describeOtherWait(waits: readonly Wait[], count: number): string {
  const [ends, them, expires] =
    count === 1 ? ['It ends', 'it', 'it expires'] : ['They end', 'them', 'they expire']
  if (waits.every(({ never }) => never !== null))
    return `${ends} without being placed, because a rule doesn't allow ${them}.`
  const placeable = waits.filter(({ never, isTooLate }) => never === null && !isTooLate)
  if (placeable.length === 0)
    return `${ends} without being placed, because ${expires} before that's possible.`
  const reasons = new Set(placeable.flatMap(({ reason }) => reason ?? []))
  const texts = [...reasons].map((reason) => otherWaits[reason])
  return `${count === 1 ? 'It also waits' : 'They also wait'} for ${orFormat.format(texts)}.`
}

const orFormat = new Intl.ListFormat('en-US', { type: 'disjunction' })

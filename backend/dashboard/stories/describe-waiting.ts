import { endedReasonTexts, waitingForTexts } from '@outdial/contract'
import { formatWaitReason } from '../../platform/views/badges.ts'
import {
  createTimeFormats,
  formatCallingHours,
  formatCity,
  formatCount,
  formatPlural,
  type TimeFormats,
} from '../../platform/views/format.ts'
import { actionNeededReasons, maxCallsAhead, type Wait } from '../../queue/calls/when-and-why.ts'
import { maxWaitMs } from '../../queue/rules/plan-call.ts'

/** Says why a call waits, and when it's placed: in the contact's time zone, and in the workspace's if it differs. */
export function describeWait(
  wait: Wait,
  now: Date,
  timeFormats: TimeFormats,
  { simulationSpeed = 1 }: { simulationSpeed?: number } = {},
): string {
  const { call, reason, never } = wait
  if (never !== null)
    return `${endedReasonTexts[never].meaning} When its turn comes, the call ends without being placed.`
  switch (reason) {
    case 'schedule': {
      const scheduled = `Scheduled for ${formatMoment(wait, call.due_at, now, timeFormats)}`
      if (wait.delays.length === 0) return `${scheduled}.`
      const outside = wait.delays.includes('calling_hours') ? ', which is outside calling hours' : ''
      return `${scheduled}${outside}. ${describeNext(wait, now, timeFormats)}`
    }
    case 'retry': {
      const attempts = `after attempt ${call.attempts} of ${call.retry.max_attempts}`
      return `Waiting to retry ${attempts}. ${describeNext(wait, now, timeFormats)}${describeSpeed(wait, simulationSpeed)}`
    }
    case 'calling_hours':
    case 'frequency':
      return describeNext(wait, now, timeFormats)
    case 'number_limit':
    case 'minutes_limit':
      return `${waitingForTexts[reason].meaning} ${describeNext(wait, now, timeFormats)}`
    case 'campaign_limit':
      return `The campaign is at its limit of ${formatPlural(call.max_concurrent_calls, 'concurrent call')}, so this call waits for others to end.`
    case 'number_busy':
      return "Another call to the contact's number is in progress, so this call waits for that one to end."
    case 'campaign_paused': {
      const why = call.paused_reason === null ? '' : ` ${call.paused_reason}`
      return `The campaign is paused.${describeRemedy(wait, remedies.resume, now, timeFormats)}${why}`
    }
    case 'agent_not_live': {
      const remedy = call.agent_status === 'draft' ? remedies.publish : remedies.resume
      return `The agent ${call.agent_name} isn't Live.${describeRemedy(wait, remedy, now, timeFormats)}`
    }
    case 'number_not_active':
      return `The phone number ${call.number_label} is retired.${describeRemedy(wait, remedies.activate, now, timeFormats)}`
    case null:
      return 'Next in line. The call will be dialed in a few seconds.'
  }
}

/** Says what time it is for the contact, what delays the call, and when the next attempt is. */
function describeNext(wait: Wait, now: Date, timeFormats: TimeFormats): string {
  const { call, delays, nextAt } = wait
  const isFrequent = wait.reason === 'frequency' || delays.includes('frequency')
  return [
    ...(isFrequent ? [waitingForTexts.frequency.meaning] : []),
    describeLocalTime(wait, now),
    ...(delays.includes('calling_hours')
      ? [`Calling hours are ${formatCallingHours(call.calling_hours)}.`]
      : []),
    ...(delays.includes('law') ? ['The hours by law or closed days delay the call.'] : []),
    ...(nextAt === null ? [] : [`Next attempt: ${formatMoment(wait, nextAt, now, timeFormats)}.`]),
    ...(wait.isTooLate ? ["It can't be placed before it expires, 7 days after it was due."] : []),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}

/** Says how many calls in the campaign are placed first. Empty if there are none. */
export function describeCallsAhead(count: number): string {
  if (count === 0) return ''
  const calls = count >= maxCallsAhead ? `${formatCount(count)} or more calls` : formatPlural(count, 'call')
  return ` ${calls} in this campaign ${count === 1 ? 'is' : 'are'} ahead of it.`
}

/** Returns what a call waits for, as a label in lists. */
export function formatWaitLabel({ reason, never }: Wait): string {
  if (never !== null) return "Nothing; a rule doesn't allow this call, so it will end"
  return reason === 'campaign_limit' || reason === 'number_busy'
    ? concurrencyLabels[reason]
    : formatWaitReason(reason)
}

const concurrencyLabels = {
  campaign_limit: 'Other calls in this campaign',
  number_busy: 'Another call to this number',
}

/** Returns "Calling hours, not before Thu 9:00 AM in London (Thu 4:00 AM in New York)". */
export function formatWaitNote(wait: Wait, now: Date, timeFormats: TimeFormats): string {
  const next = formatNextAttempt(wait, now, timeFormats)
  return `${formatWaitLabel(wait)}${next === '' ? '' : `, not before ${next}`}`
}

/** Returns the time of the next attempt, for lists. Empty if the call waits for something other than a time. */
export const formatNextAttempt = (wait: Wait, now: Date, timeFormats: TimeFormats): string =>
  wait.nextAt === null ? '' : formatMoment(wait, wait.nextAt, now, timeFormats)

/** Returns the page where a person can resolve why a call waits. Null if only time or other calls can. */
export function findRemedy({ reason, call }: Wait): { path: string; label: string } | null {
  if (!actionNeededReasons.some((each) => each === reason)) return null
  if (reason === 'campaign_paused')
    return { path: `/campaigns/${call.campaign_id}`, label: 'Open campaign to resume it' }
  if (reason === 'agent_not_live') {
    const verb = call.agent_status === 'draft' ? 'publish' : 'resume'
    return { path: `/agents/${call.agent_id}`, label: `Open agent to ${verb} it` }
  }
  return { path: '/phone-numbers', label: 'Open phone numbers to activate it' }
}

/** The actions after which a campaign, agent, or number can call again. */
const remedies = {
  resume: { verb: 'Resume', participle: 'resumed' },
  publish: { verb: 'Publish', participle: 'published' },
  activate: { verb: 'Activate', participle: 'activated' },
}

/** Says what a person must do to place the call, until when, and what it waits for afterward. */
function describeRemedy(
  wait: Wait,
  { verb, participle }: (typeof remedies)[keyof typeof remedies],
  now: Date,
  timeFormats: TimeFormats,
): string {
  const { call, notBefore } = wait
  const expiresAt = new Date(call.due_at.getTime() + maxWaitMs)
  const action = ` ${verb} it to place this call.`
  // If the call expires before it may be placed, the action wouldn't save it, so nothing is said about expiry.
  const expiry =
    notBefore !== null && notBefore >= expiresAt
      ? ''
      : ` If it isn't ${participle} by ${timeFormats.day(expiresAt)}, the call expires.`
  if (notBefore === null) return `${action}${expiry}`
  const at = formatMoment(wait, notBefore, now, timeFormats)
  return `${action}${expiry} Once it's ${participle}, the call isn't placed before ${at}.`
}

/** Says how much faster a simulation runs. Its retries come sooner than the campaign's delay says. */
function describeSpeed({ call }: Wait, speed: number): string {
  if (speed === 1) return ''
  const delay = formatPlural(call.retry.delay_minutes, 'minute')
  return ` The campaign's delay is ${delay}, but simulated calls run at ${formatCount(speed)} times the speed.`
}

const sourceTexts = { contact: 'from the contact', number: 'from the phone number' }

/** Says what time it is for the contact, and how that's known. */
function describeLocalTime(wait: Wait, now: Date): string {
  const { call, zones, zoneSource } = wait
  const who = call.first_name ?? call.last_name ?? 'the contact'
  const times = groupByTime(zones, now, now)
  const [first, ...others] = times
  if (first === undefined) return ''
  if (zoneSource === 'campaign') {
    const why = wait.hasNoCommonHour
      ? "calling hours never overlap in the phone number's time zones"
      : "the contact's time zone isn't known"
    return `It's ${first.text} in ${first.city}, the campaign's time zone, which counts because ${why}.`
  }
  if (others.length === 0) return `It's ${first.text} for ${who} (${first.city}, ${sourceTexts[zoneSource]}).`
  const list =
    times.length > maxTimes
      ? `between ${inCity(first)} and ${inCity(others.at(-1) ?? first)}`
      : orFormat.format(times.map(inCity))
  return `It's ${list} for ${who}. The phone number can be in any of these time zones, so the call waits until it's within calling hours in all of them.`
}

const orFormat = new Intl.ListFormat('en-US', { type: 'disjunction' })
const andFormat = new Intl.ListFormat('en-US')

/** Maximum number of local times that are listed. */
const maxTimes = 3

interface ZoneTime {
  text: string
  city: string
}

const inCity = ({ text, city }: ZoneTime) => `${text} in ${city}`

/** Returns the local times of a moment, each with one of its cities, in order of the time zones. */
function groupByTime(zones: readonly string[], at: Date, now: Date): ZoneTime[] {
  const cities = new Map<string, string>()
  for (const zone of zones) {
    const text = createTimeFormats(now, zone).dayAndTime(at)
    if (!cities.has(text)) cities.set(text, formatCity(zone))
  }
  return [...cities].map(([text, city]) => ({ text, city }))
}

/** Returns "Thu 9:00 AM in London (Thu 4:00 AM in New York)", or one time if all are the same. */
function formatMoment(wait: Wait, at: Date, now: Date, timeFormats: TimeFormats): string {
  const times = groupByTime(wait.zones, at, now)
  if (times.length > maxTimes) return timeFormats.upcomingTime(at)
  const here = { text: timeFormats.dayAndTime(at), city: formatCity(timeFormats.timeZone) }
  const [first, ...others] = times.some(({ text }) => text === here.text) ? times : [...times, here]
  if (first === undefined || others.length === 0) return timeFormats.upcomingTime(at)
  return `${inCity(first)} (${andFormat.format(others.map(inCity))})`
}

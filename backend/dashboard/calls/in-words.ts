import type { Call, EndedReason } from '@outdial/contract'
import type { findCallDetails } from '../../calls/history-store.ts'

type WaitingRules = NonNullable<Awaited<ReturnType<typeof findCallDetails>>>

const endedReasonLabels: Record<EndedReason, string> = {
  agent_hung_up: 'The agent ended the talk.',
  contact_hung_up: 'The contact hung up.',
  call_limit_reached: 'The talk reached the longest time that a call may take, 30 minutes.',
  voicemail_reached: 'A voicemail answered.',
  ring_timeout: 'It rang, and nobody answered.',
  line_busy: 'The line was busy.',
  contact_declined: 'The contact declined the call.',
  line_failed: 'The phone line failed, so that the call was not put through.',
  worker_lost: 'The connection to the call was lost on our side.',
  do_not_call: 'The number is on the do-not-call list.',
  not_attempted_in_time: 'No attempt was possible within 7 days.',
  campaign_archived: 'Its campaign was archived while it waited.',
  contact_erased: 'The contact was erased while it waited.',
  canceled_by_user: 'Somebody canceled it while it waited.',
}

export const formatEndedReason = (reason: EndedReason): string => endedReasonLabels[reason]

/** Writes moments of a page. Made once for it: the formats are slow to make. */
export function createTimeFormats(now: Date, timeZone: string) {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { timeZone, ...options })
  const day = format({ year: 'numeric', month: 'numeric', day: 'numeric' })
  const clock = format({ hour: 'numeric', minute: '2-digit' })
  const seconds = format({ timeStyle: 'medium' })
  const weekday = format({ weekday: 'short' })
  const date = format({ month: 'short', day: 'numeric' })
  const farDate = format({ month: 'short', day: 'numeric', year: 'numeric' })
  const today = day.format(now)
  return {
    /** "9:00 AM" today, "Mon 9:00 AM" within the week, else "Nov 30, 9:00 AM". */
    short(at: Date): string {
      if (day.format(at) === today) return clock.format(at)
      const days = (at.getTime() - now.getTime()) / 86_400_000
      if (days > 0 && days < 6) return `${weekday.format(at)} ${clock.format(at)}`
      return `${(Math.abs(days) > 300 ? farDate : date).format(at)}, ${clock.format(at)}`
    },
    /** "9:00:05 AM" today, else "Nov 30, 9:00:05 AM". */
    exact: (at: Date): string =>
      day.format(at) === today ? seconds.format(at) : `${date.format(at)}, ${seconds.format(at)}`,
  }
}

export type TimeFormats = ReturnType<typeof createTimeFormats>

/** What a queued call waits for and why, as a sentence. */
export function formatWaiting(call: Call, rules: WaitingRules, now: Date, timeFormats: TimeFormats): string {
  const formatTime = (at: string | Date | null) => (at === null ? 'soon' : timeFormats.short(new Date(at)))
  const next = formatTime(call.next_attempt_at)
  const after = new Date(rules.due_at) > now ? ` Not before ${formatTime(rules.due_at)}.` : ''
  switch (call.waiting_for) {
    case 'schedule':
      return `Waits for its time: it was asked for ${formatTime(call.scheduled_at)}, next attempt ${next}.`
    case 'calling_hours':
      return `Waits for calling hours: next attempt ${next}.`
    case 'concurrency':
      return `Waits for a free line: the campaign makes ${rules.max_concurrent_calls} calls at once, or the number is being called already.`
    case 'campaign_paused':
      return `Waits because its campaign is paused: it goes on when somebody resumes it.${after}`
    case 'agent_not_live':
      return `Waits because ${call.agent_name} is not live: it goes on when the agent is.${after}`
    case 'number_not_active':
      return `Waits because the number ${rules.number_label} is retired: it goes on when that is active again.${after}`
    case 'retry':
      return `Waits for another attempt, after ${call.attempts} of at most ${rules.retry.max_attempts}: next attempt ${next}.`
    case null:
      return 'Waits for its turn: nothing hinders it, and it is dialed within moments.'
  }
}

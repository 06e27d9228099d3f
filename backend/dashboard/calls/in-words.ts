import type { Call, EndedReason } from '@outdial/contract'
import type { findCallRules } from '../../calls/history-store.ts'

type Rules = NonNullable<Awaited<ReturnType<typeof findCallRules>>>

const reasons: Record<EndedReason, string> = {
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

export const endedReasonInWords = (reason: EndedReason): string => reasons[reason]

/** A name for a contact: its own, else its number, else that it was erased. */
export function contactName(
  contact: { first_name: string | null; last_name: string | null },
  number: string,
) {
  const name = [contact.first_name, contact.last_name].filter(Boolean).join(' ')
  return name || number || 'Erased contact'
}

/** "9:00 AM" today, "Mon 9:00 AM" within the week, else "Nov 30, 9:00 AM". */
export function momentInWords(at: Date, now: Date, timeZone: string): string {
  const write = (options: Intl.DateTimeFormatOptions, moment = at) =>
    new Intl.DateTimeFormat('en-US', { timeZone, ...options }).format(moment)
  const clock = write({ hour: 'numeric', minute: '2-digit' })
  const day = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  if (write(day) === write(day, now)) return clock
  const days = (at.getTime() - now.getTime()) / 86_400_000
  if (days > 0 && days < 6) return `${write({ weekday: 'short' })} ${clock}`
  const isFar = Math.abs(days) > 300
  return `${write({ month: 'short', day: 'numeric', ...(isFar && { year: 'numeric' }) })}, ${clock}`
}

/** "9:00:05 AM" today, else "Nov 30, 9:00:05 AM". */
export function secondsInWords(at: Date, now: Date, timeZone: string): string {
  const day = new Intl.DateTimeFormat('en-US', { timeZone, month: 'short', day: 'numeric' })
  const clock = new Intl.DateTimeFormat('en-US', { timeZone, timeStyle: 'medium' }).format(at)
  return day.format(at) === day.format(now) ? clock : `${day.format(at)}, ${clock}`
}

/** What a queued call waits for and why, as a sentence. */
export function waitsInWords(call: Call, rules: Rules, now: Date, timeZone: string): string {
  const moment = (at: string | Date | null) =>
    at === null ? 'soon' : momentInWords(new Date(at), now, timeZone)
  const next = moment(call.next_attempt_at)
  const after = new Date(rules.due_at) > now ? ` Not before ${moment(rules.due_at)}.` : ''
  switch (call.waiting_for) {
    case 'schedule':
      return `Waits for its time: it was asked for ${moment(call.scheduled_at)}, next attempt ${next}.`
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

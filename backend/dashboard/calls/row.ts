import type { ListedCall } from './call-list-queries.ts'
import { callBadge, type Badge, formatWaitReason } from '../page/badges.ts'
import { formatContactName } from '../contact-name.ts'
import type { TimeFormats } from './in-words.ts'

/** A call as the list shows it. */
export interface CallRow {
  id: number
  contact: string
  number: string
  campaign: string
  agent: string
  badge: Badge
  test: boolean
  /** What it waits for, until when; empty where it does not wait. */
  note: string
  attempts: number
  at: Date
  seconds: number | null
}

export const toCallRow = (call: ListedCall, now: Date, timeFormats: TimeFormats): CallRow => ({
  id: call.id,
  contact: formatContactName(call, call.to_number),
  number: call.to_number,
  campaign: call.campaign_name,
  agent: call.agent_name,
  badge: callBadge(call),
  test: call.test,
  note: formatWaitNote(call, now, timeFormats),
  attempts: call.attempts,
  at: call.queued_at,
  seconds: call.duration_seconds,
})

function formatWaitNote(call: ListedCall, now: Date, timeFormats: TimeFormats): string {
  if (call.status !== 'queued') return ''
  const next = call.next_attempt_at
  const until = next !== null && next > now ? ` until ${timeFormats.short(next)}` : ''
  return `for ${formatWaitReason(call.waiting_for)}${until}`
}

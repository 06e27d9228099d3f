import type { ListedCall } from './call-list-queries.ts'
import { callSign, type Sign, waitsFor } from '../page/badges.ts'
import { contactName } from '../contact-name.ts'
import type { Moments } from './in-words.ts'

/** A call as the list shows it. */
export interface Row {
  id: number
  contact: string
  number: string
  campaign: string
  agent: string
  sign: Sign
  test: boolean
  /** What it waits for, until when; empty where it does not wait. */
  note: string
  attempts: number
  at: Date
  seconds: number | null
}

export const toRow = (call: ListedCall, now: Date, moments: Moments): Row => ({
  id: call.id,
  contact: contactName(call, call.to_number),
  number: call.to_number,
  campaign: call.campaign_name,
  agent: call.agent_name,
  sign: callSign(call),
  test: call.test,
  note: noteOf(call, now, moments),
  attempts: call.attempts,
  at: call.queued_at,
  seconds: call.duration_seconds,
})

function noteOf(call: ListedCall, now: Date, moments: Moments): string {
  if (call.status !== 'queued') return ''
  const next = call.next_attempt_at
  const until = next !== null && next > now ? ` until ${moments.short(next)}` : ''
  return `for ${waitsFor(call.waiting_for)}${until}`
}

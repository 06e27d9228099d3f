import type { Call, CallQuery, Contact, TranscriptTurn } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import type { CallOrigin } from '../../platform/core/actor.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { notFound } from '../../platform/core/errors.ts'
import { callPageUrl } from '../../platform/core/page-urls.ts'
import { type Page, toPage } from '../../platform/core/pagination.ts'
import { pick } from '../../platform/core/records.ts'
import { apiColumns } from '../../platform/db/tables/contact-fields.ts'
import { type CallRow, findCallPage, findCallRow } from './find-calls.ts'
import { normalizeNumber } from './resolve-number.ts'

export interface CallKey {
  workspaceId: number
  callId: number
}

/** Returns a call as the API shows it, including what it waits for at `now`. */
export async function findCall(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  workspaceId: number,
  callId: number,
  now: Date,
): Promise<Call | undefined> {
  const row = await findCallRow(db, workspaceId, callId, now)
  return row && toCall(config, row)
}

export const toCall = (config: Deps['config'], row: CallRow): Call => ({
  id: row.id,
  status: row.status,
  outcome: row.outcome,
  ended_reason: row.ended_reason,
  waiting_for: row.waiting_for,
  next_attempt_at: toIso(row.next_attempt_at),
  test: row.test,
  campaign_id: row.campaign_id,
  campaign_name: row.campaign_name,
  agent_id: row.agent_id,
  agent_name: row.agent_name,
  agent_version: row.agent_version,
  // A completed call shows its contact as it was when the call was completed.
  contact: row.completed_contact ?? toContact(row),
  from_number: row.from_number,
  to_number: row.to_number,
  attempts: row.attempts,
  origin: row.origin && toPublicOrigin(row.origin),
  url: callPageUrl(config, row.workspace_id, row.id),
  scheduled_at: toIso(row.scheduled_at),
  queued_at: row.queued_at.toISOString(),
  answered_at: toIso(row.answered_at),
  ended_at: toIso(row.ended_at),
  // A process whose clock was wrong can have stored a negative duration.
  duration_seconds: row.duration_seconds === null ? null : Math.max(0, row.duration_seconds),
  summary: row.summary,
  transcript: row.transcript,
  transcript_text: row.transcript.length === 0 ? null : row.transcript.map(formatTurn).join('\n'),
  sentiment: row.sentiment,
  opted_out: row.opted_out,
  goal_met: row.goal_met,
  extracted: row.extracted,
  recording_url: row.recording_url,
  metadata: row.metadata,
})

const toContact = (row: CallRow): Contact => ({
  id: row.contact_id,
  phone_number: row.phone_number,
  ...pick(row, apiColumns),
  do_not_call: row.do_not_call,
  consent:
    row.consent_source === null || row.consent_at === null
      ? null
      : { source: row.consent_source, at: row.consent_at.toISOString(), kind: row.consent_kind },
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

const toPublicOrigin = (origin: CallOrigin): Call['origin'] => ({
  kind: origin.kind,
  id: String(origin.id),
  call_id: 'call_id' in origin ? origin.call_id : null,
})

const toIso = (at: Date | null) => at?.toISOString() ?? null

const speakers = { agent: 'Agent', contact: 'Contact', tool: 'Tool' }

/** Writes a turn as a line of the transcript's text. */
export const formatTurn = (turn: TranscriptTurn) => `${speakers[turn.role]}: ${turn.text}`

/** @throws {ApiError} not_found */
export async function getCall(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  caller: Caller,
  id: number,
): Promise<Call> {
  const call = await findCall(deps, caller.workspaceId, id, deps.clock.now())
  if (call === undefined) throw notFound('call')
  return call
}

/**
 * Returns the workspace's calls, newest first.
 *
 * @throws {ApiError} validation_failed if `phone_number` isn't a phone number
 */
export async function listCalls(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  caller: Caller,
  query: CallQuery,
): Promise<Page<Call>> {
  const { limit, offset, phone_number: phoneNumber, country } = query
  const filter = {
    status: query.status,
    campaignId: query.campaign_id,
    agentId: query.agent_id,
    outcomes: query.outcome,
    contactId: query.contact_id,
    phoneNumber:
      phoneNumber && (await normalizeNumber(deps.db, caller.workspaceId, { phoneNumber, country })),
    externalId: query.external_id,
    goalMet: query.goal_met && query.goal_met === 'true',
    optedOut: query.opted_out && query.opted_out === 'true',
    test: query.test,
  }
  const page = { limit: limit + 1, offset }
  const rows = await findCallPage(deps.db, caller.workspaceId, filter, page, deps.clock.now())
  return toPage(
    rows.map((row) => toCall(deps.config, row)),
    limit,
  )
}

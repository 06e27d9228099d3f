import * as z from 'zod'
import { Contact } from './contact.ts'
import { addContactTexts, callTexts, filterTexts } from './field-texts.ts'
import { listOf, ListQuery, oneOrMany } from './lists.ts'
import {
  ContactNumber,
  CountryInput,
  describeFields,
  fieldsBelow,
  Id,
  PhoneNumberE164,
  QueryId,
  Seconds,
  text,
  Timestamp,
} from './primitives.ts'

export const CallStatus = z.enum(['queued', 'dialing', 'in_progress', 'completed'])
export type CallStatus = z.infer<typeof CallStatus>

/** How a call ended. Set once, when the call is completed. */
export const CallOutcome = z.enum([
  'answered',
  'voicemail',
  'no_answer',
  'busy',
  'declined',
  'failed',
  'suppressed',
  'expired',
  'canceled',
])
export type CallOutcome = z.infer<typeof CallOutcome>

/** Why a call ended, in more detail than the outcome. */
export const EndedReason = z.enum([
  'agent_hung_up',
  'contact_hung_up',
  'call_limit_reached',
  'voicemail_reached',
  'ring_timeout',
  'line_busy',
  'contact_declined',
  'line_failed',
  'worker_lost',
  'do_not_call',
  'number_type_not_allowed',
  'destination_not_allowed',
  'consent_missing',
  'consent_expired',
  'frequency',
  'no_permitted_hour',
  'not_attempted_in_time',
  'campaign_archived',
  'contact_erased',
  'canceled_by_user',
])
export type EndedReason = z.infer<typeof EndedReason>

/** The reason why a queued call waits. */
export const WaitingFor = z.enum([
  'schedule',
  'calling_hours',
  'frequency',
  'number_limit',
  'minutes_limit',
  'concurrency',
  'campaign_paused',
  'agent_not_live',
  'number_not_active',
  'retry',
])
export type WaitingFor = z.infer<typeof WaitingFor>

export const TranscriptTurn = z
  .object({
    role: z.enum(['agent', 'contact', 'tool']),
    text: z.string(),
    at: Timestamp,
  })
  .meta({ id: 'TranscriptLine' })
export type TranscriptTurn = z.infer<typeof TranscriptTurn>

export const Sentiment = z.enum(['positive', 'neutral', 'negative', 'unknown'])
export type Sentiment = z.infer<typeof Sentiment>

/**
 * The values that the analysis extracted from the conversation. The object is flat, so that an automation can map each
 * value.
 */
export const Extracted = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
export type Extracted = z.infer<typeof Extracted>

/** The person or program that queued a call. */
export const CallOrigin = z
  .object(
    describeFields(
      {
        kind: z.enum(['api_key', 'app', 'member', 'import', 'scheduled_callback', 'call_again']),
        id: z.string(),
        call_id: Id.nullable(),
      },
      fieldsBelow(callTexts, 'origin'),
    ),
  )
  .meta({ id: 'CallOrigin' })
export type CallOrigin = z.infer<typeof CallOrigin>

/** A call to a contact, with all its attempts. */
export const Call = z
  .object(
    describeFields(
      {
        id: Id,
        status: CallStatus,
        outcome: CallOutcome.nullable(),
        ended_reason: EndedReason.nullable(),
        waiting_for: WaitingFor.nullable(),
        next_attempt_at: Timestamp.nullable(),
        test: z.boolean(),
        campaign_id: Id,
        campaign_name: z.string(),
        agent_id: Id,
        agent_name: z.string(),
        // Events and responses that were stored before this field existed don't have it.
        agent_version: z.int().min(1).nullish(),
        contact: Contact,
        from_number: PhoneNumberE164,
        to_number: ContactNumber,
        attempts: z.int().min(0),
        // Events and responses that were stored before this field existed don't have it.
        origin: CallOrigin.nullish(),
        // Events and responses that were stored before this field existed don't have it.
        url: z.url().optional(),
        scheduled_at: Timestamp.nullable(),
        queued_at: Timestamp,
        answered_at: Timestamp.nullable(),
        ended_at: Timestamp.nullable(),
        duration_seconds: Seconds.nullable(),
        summary: z.string().nullable(),
        transcript: z.array(TranscriptTurn),
        transcript_text: z.string().nullable(),
        sentiment: Sentiment,
        // Events and responses that were stored before this field existed don't have it.
        opted_out: z.boolean().optional(),
        goal_met: z.boolean().nullable(),
        extracted: Extracted,
        recording_url: z.url().nullable(),
        metadata: z.record(z.string(), z.string()),
      },
      callTexts,
    ),
  )
  .meta({ id: 'Call' })
export type Call = z.infer<typeof Call>

export const CallList = listOf(Call, 'CallList')
export type CallList = z.infer<typeof CallList>

/** The calls that a filter selects: test calls and real calls, real calls only, or test calls only. */
export const TestCalls = z.enum(['include', 'exclude', 'only'])
export type TestCalls = z.infer<typeof TestCalls>

/** Filters of `GET /calls/`. `outcome` may be given several times. */
export const CallQuery = ListQuery.extend(
  describeFields(
    {
      status: CallStatus.optional(),
      campaign_id: QueryId.optional(),
      agent_id: QueryId.optional(),
      outcome: oneOrMany(CallOutcome),
      contact_id: QueryId.optional(),
      phone_number: text(64).optional(),
      country: CountryInput.optional(),
      external_id: text(200).optional(),
      goal_met: z.enum(['true', 'false']).optional(),
      opted_out: z.enum(['true', 'false']).optional(),
      test: TestCalls.optional(),
    },
    { ...filterTexts, country: addContactTexts.country },
  ),
)
export type CallQuery = z.infer<typeof CallQuery>

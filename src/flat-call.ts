import type { Call, ContactAdded } from '@outdial/contract'
import type { PlainInputField, ZObject } from 'zapier-platform-core'
import { type ApiList, hasId } from './client.ts'
import { formatIssue } from './errors.ts'
import { callFields, outcomeLabels } from './generated.ts'
import { downloadRecording } from './recording.ts'
import { saveTranscript } from './transcript-file.ts'
import { isObject } from './values.ts'

/** A call as every step returns it. All calls have the same keys, so that a Zap gets the keys that it was tested with. */
export type FlatCall = ReturnType<typeof flattenCall>

/** A call, and what happened when it was queued. `warnings` is blank if there are none. */
export type FlatQueuedCall = FlatCall &
  Pick<ContactAdded, 'contact_created' | 'call_queued'> & { warnings: string }

/** A consent with blank values. Also adds the kind to consents that were stored by earlier versions without it. */
const noConsent = { source: null, at: null, kind: null }

/** Adds the keys that a call may lack, so that all calls have the same ones. Keeps fields that a later version of the API adds. */
export const flattenCall = (z: ZObject, call: Call) => ({
  ...call,
  outcome_label: call.outcome && outcomeLabels[call.outcome],
  reached: call.outcome === 'answered',
  contact: { ...call.contact, consent: { ...noConsent, ...call.contact.consent } },
  // Calls that were stored by earlier versions don't have these fields.
  agent_version: call.agent_version ?? null,
  opted_out: call.opted_out ?? false,
  origin: call.origin ?? { kind: null, id: null, call_id: null },
  url: call.url ?? null,
  recording: call.recording_url ? z.dehydrateFile(downloadRecording, { call_id: call.id }) : null,
  transcript_file: call.transcript_text ? z.dehydrateFile(saveTranscript, { call_id: call.id }) : null,
})

/** The fields that only a queued call has. Triggers leave them out, because they would always be blank. */
const queuedOnly = ['waiting_for', 'next_attempt_at']

/** Returns a call without the keys that only a queued call has. */
export const withoutQueuedOnly = (call: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(call).filter(([key]) => !queuedOnly.includes(key)))

export const completedCallFields = callFields.filter(({ key }) => !queuedOnly.includes(key))

/** Returns true for a call of the API. */
export const isCall = (value: unknown): value is Call =>
  isObject(value) && hasId(value) && isObject(value.contact)

export const calls: ApiList<Call> = { path: '/calls/', isItem: isCall }

/** A response, which has no warnings if it was stored by an earlier version of the API. */
type QueuedCall = Omit<ContactAdded, 'warnings'> & Partial<Pick<ContactAdded, 'warnings'>>

/** Returns the call that was queued, or that was already waiting or in progress. */
export const flattenQueuedCall = (
  z: ZObject,
  { call, contact_created, call_queued, warnings = [] }: QueuedCall,
  inputFields: readonly PlainInputField[],
): FlatQueuedCall => ({
  ...flattenCall(z, call),
  contact_created,
  call_queued,
  warnings: warnings.map((warning) => formatIssue(warning, inputFields)).join(' '),
})

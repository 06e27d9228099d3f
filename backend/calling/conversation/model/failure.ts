import { errorCode } from '../../../platform/core/errors.ts'

/**
 * Why a model didn't answer:
 *
 * - `no_first_word`: no word arrived in time, or the answer had none.
 * - `unreachable`: there's no connection, or it ended before the response.
 * - `rejected`: the server responded with an error status, or reported an error in the stream.
 * - `cut`: the stream broke off or stalled after it began.
 * - `malformed`: the response doesn't follow the protocol or the schema.
 * - `filtered`: the server's content filter stopped an answer before its first word.
 * - `too_slow`: an analysis took too long.
 * - `aborted`: the caller's signal aborted.
 */
export type ModelFailureKind =
  'no_first_word' | 'unreachable' | 'rejected' | 'cut' | 'malformed' | 'filtered' | 'too_slow' | 'aborted'

/** A failure. It never contains a prompt, a key, or a phone number, so that it can be logged and stored. */
export interface ModelFailure {
  kind: ModelFailureKind
  /** The HTTP status of `rejected`, if there was one. */
  status?: number
}

/**
 * Returns true if the server rejected the content of the request, such as a conversation that's too long for the model. Other
 * requests can still succeed.
 */
export const isOfRequest = ({ kind, status }: ModelFailure): boolean =>
  kind === 'filtered' || status === 400 || status === 413 || status === 422

/** Sentences for the operator. */
export const failureSentences: Record<ModelFailureKind, string> = {
  no_first_word: 'The language model said nothing, or not in time.',
  unreachable: "The language model's server can't be reached.",
  rejected: "The language model's server rejected a request.",
  cut: "The language model's answer broke off.",
  malformed: "The language model's answer couldn't be read.",
  filtered: "The language model's content filter blocked the answer.",
  too_slow: 'The language model took too long for an analysis.',
  aborted: 'A request to the language model was aborted.',
}

const malformed: ModelFailure = { kind: 'malformed' }
const cut: ModelFailure = { kind: 'cut' }
const causes: Record<string, ModelFailure> = {
  AI_APICallError: { kind: 'unreachable' },
  AI_StreamProviderError: { kind: 'rejected' },
  AI_NoOutputGeneratedError: cut,
  // The connection ended while the body was read.
  TypeError: cut,
}

/**
 * Converts one of the packages' many errors. Their messages quote the request, so a failure contains only its kind and status.
 */
export function toModelFailure(error: unknown): ModelFailure {
  if (typeof error !== 'object' || error === null) return malformed
  const status: unknown = Reflect.get(error, 'statusCode')
  // The packages report a body that ends early or can't be parsed as an error with the status 200.
  if (status === 200) return toModelFailure(Reflect.get(error, 'cause'))
  if (typeof status === 'number') return { kind: 'rejected', status }
  if (isEndWithoutReason(error)) return cut
  return causes[errorName(error)] ?? (errorCode(error) === '' ? malformed : cut)
}

/**
 * Returns true if a stream ended without saying why, so it's incomplete. Other problems have the same error name, so this
 * checks the message.
 */
const isEndWithoutReason = (error: object): boolean =>
  errorName(error) === 'AI_InvalidResponseDataError' &&
  /^Response stream ended/.test(String(Reflect.get(error, 'message')))

/** Returns the name of an error of the packages, for the log. */
export function errorName(error: unknown): string {
  const name: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'name') : undefined
  return typeof name === 'string' ? name : typeof error
}

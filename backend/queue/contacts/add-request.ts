import type { Warning } from '@outdial/contract'
import type { Actor } from '../../platform/core/actor.ts'
import type { Caller } from '../../platform/core/caller.ts'
import type { ApiError } from '../../platform/core/errors.ts'
import type { leftOut } from '../../platform/core/share.ts'
import type { CampaignRules } from '../../platform/db/locks.ts'
import type { HashedRequest, StoredResponse } from '../../platform/idempotency/idempotency.ts'
import type { QueueResult, RequestedCall } from '../calls/queue-calls.ts'
import type { ContactValues, FoundContact } from './contact-store.ts'

export interface CallAddition extends RequestedCall {
  /**
   * Says what to do if the number is on the do-not-call list. `suppress` queues the call and completes it at once, `skip` only
   * saves the contact, and `reject` changes nothing. `skip` also applies to a contact whose country isn't called (otherwise an
   * error), and to one without the required consent (otherwise, the call is completed at once).
   */
  ifListed: 'suppress' | 'skip' | 'reject'
}

/** A contact to add, and perhaps a call to it. */
export interface Addition {
  /** The number of a contact, which is created if it doesn't exist, or the ID of an existing contact. */
  contact: { phoneNumber: string } | { id: number }
  changes: ContactValues
  /** Numbers to add to the do-not-call list, the contact's among them. */
  doNotCallNumbers: readonly string[]
  call: CallAddition | null
  /** The member or program that changes the contact. */
  actor: Actor
}

/** What only the public API adds to a request. Such a request gets a response, and its credential is checked again. */
export interface ApiRequest {
  caller: Caller
  /** The SHA-256 of the caller's credential. */
  tokenHash: Buffer
  /** Identifies a repeated request. Null without an idempotency key. */
  key: HashedRequest | null
  callbackUrl: string | null
  /** True if variables get the agent's names and, with a warning, those beyond the contact's limit are left out. */
  isLenient: boolean
  /** Warnings about what was left out of the request. */
  warnings: readonly Warning[]
}

export interface AddRequest {
  /**
   * What to add, or the error to respond with. The error counts only if no response is stored for the request's idempotency
   * key.
   */
  addition: Addition | ApiError
  api: ApiRequest | null
}

/**
 * Why a call is skipped: the number is on the do-not-call list, its country isn't called, or the required consent is missing or
 * too old.
 */
export type SkipReason = 'listed' | 'country_not_allowed' | 'consent_missing' | 'consent_expired'

export interface Added {
  kind: 'added'
  contact: { id: number; created: boolean }
  /** The queued call, or why it was skipped. Null if no call was requested. */
  call: QueueResult | SkipReason | null
  warnings: readonly Warning[]
  /** Null for a request that isn't from the API. */
  response: StoredResponse | null
}

export type AddResult =
  Added | { kind: 'replayed'; response: StoredResponse } | { kind: 'rejected'; error: ApiError }

/** What happens to a request. `leftOut` means that it must run alone. */
export type Decision = AddResult | typeof leftOut

/** A request with the locked rows that it needs. */
export interface Candidate {
  request: AddRequest
  addition: Addition
  /** Undefined if there's no contact with the requested ID. */
  contact: FoundContact | undefined
  /**
   * Undefined if the requested campaign doesn't exist, or if no call is requested. `busy` if another transaction has locked it.
   */
  campaign: CampaignRules | 'busy' | undefined
  /** The warnings of the response. */
  warnings: readonly Warning[]
}

/** A candidate that can be saved. */
export interface Accepted extends Candidate {
  contact: FoundContact
  campaign: CampaignRules | undefined
}

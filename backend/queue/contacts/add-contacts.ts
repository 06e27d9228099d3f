import { findCredentialErrors } from '../../accounts/identity/authenticate.ts'
import type { Deps } from '../../deps.ts'
import type { Actor } from '../../platform/core/actor.ts'
import { ApiError, fieldError, notFound } from '../../platform/core/errors.ts'
import { leftOut } from '../../platform/core/share.ts'
import { type CampaignRules, lockCampaigns, lockNumbers, tryLockCampaigns } from '../../platform/db/locks.ts'
import type { Db } from '../../platform/db/schema.ts'
import { lockKeys, readContactAdded, type StoredResponse } from '../../platform/idempotency/idempotency.ts'
import { addCallback, checkCallbackUrl, lockCallbackOwner } from '../../webhooks/callbacks.ts'
import { findNumbersNotAllowed } from '../calls/number-types.ts'
import type { QueueResult } from '../calls/queue-calls.ts'
import { findContactsToReschedule } from '../calls/reschedule-calls.ts'
import { countryNotAllowed, isCountryAllowed, rulesInEffect } from '../rules/call-rules.ts'
import type {
  Accepted,
  Added,
  Addition,
  AddRequest,
  AddResult,
  ApiRequest,
  CallAddition,
  Candidate,
  Decision,
} from './add-request.ts'
import { fitVariables, matchVariables } from './agent-variables.ts'
import { decideConsentKinds } from './consent-kinds.ts'
import { maxVariables, tooManyVariables } from './contact-input.ts'
import {
  type ContactValues,
  findNumbersOfContacts,
  type FoundContact,
  lockContactsByNumber,
} from './contact-store.ts'
import { saveAccepted } from './save-contacts.ts'

// This file is the only way into the queue: the API, imports, forms, and agents add contacts and calls with `addContacts`.

type Scope = Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>

/**
 * Saves contacts and queues their calls, for requests of one workspace. Returns a result for each, in the same order. A
 * rejected request changes nothing. Each number and each idempotency key may occur only once.
 *
 * Locks rows in the order of platform/db/locks.ts, then decides about every request, and then writes. When several requests
 * share the transaction, it doesn't wait for locks. It leaves out requests that would have to wait, and those for which
 * `needsOwnTransaction` is true, so that they can run alone. It can still wait for one lock, that of an import's open call,
 * when `queue_calls` takes the call from the import. That lock is held only briefly.
 *
 * @param options.isAlone waits for the locks of other transactions; only for a single request
 * @throws {ApiError} validation_failed for a request that runs alone, if its call would have too many callback URLs
 */
export async function addContacts(
  tx: Scope,
  workspaceId: number,
  requests: readonly AddRequest[],
  { isAlone }: { isAlone: boolean },
): Promise<Decision[]> {
  const now = tx.clock.now()
  const decisions = new Map<AddRequest, Decision>()
  const undecided = () => requests.filter((request) => !decisions.has(request))
  const decideEach = (made: Iterable<readonly [AddRequest, Decision]>) => {
    for (const [request, decision] of made) decisions.set(request, decision)
  }

  if (!isAlone) {
    decideEach(requests.filter(needsOwnTransaction).map((request) => [request, leftOut] as const))
  }
  decideEach(await checkRequests(tx, workspaceId, undecided(), now))
  const locked = (await lockRows(tx, workspaceId, undecided(), { isAlone })).map(nameVariables)
  const candidates = await decideConsentKinds(tx.db, workspaceId, locked)
  const toReschedule = isAlone ? new Set<number>() : await findToReschedule(tx, workspaceId, candidates)
  const notAllowed = await findNotAllowed(tx, workspaceId, candidates)
  const accepted = candidates.filter((candidate): candidate is Accepted => {
    const decision = decide(candidate, { toReschedule, notAllowed, config: tx.config })
    if (decision !== null) decisions.set(candidate.request, decision)
    return decision === null
  })
  decideEach(await saveAccepted(tx, workspaceId, accepted, { isAlone, now }))
  return requests.map((request) => decisions.get(request) ?? leftOut)
}

/**
 * Saves the contact of one request and queues its call, in the caller's transaction.
 *
 * @throws {ApiError} if the request is rejected
 */
export async function addContactAlone(tx: Scope, workspaceId: number, addition: Addition): Promise<Added> {
  const [result] = await addContacts(tx, workspaceId, [{ addition, api: null }], { isAlone: true })
  if (result === undefined || result === leftOut || result.kind === 'replayed')
    throw new Error('invariant: a request without a key has its own result')
  if (result.kind === 'rejected') throw result.error
  return result
}

/**
 * Queues a call to an existing contact, or finds the open call that it would duplicate.
 *
 * @throws {ApiError} not_found, campaign_archived, validation_failed
 */
export async function queueCall(
  tx: Scope,
  workspaceId: number,
  contactId: number,
  { call, actor }: { call: CallAddition; actor: Actor },
): Promise<QueueResult> {
  const contact = { contact: { id: contactId }, changes: {}, doNotCallNumbers: [] }
  const added = await addContactAlone(tx, workspaceId, { ...contact, call, actor })
  if (added.call === null || typeof added.call === 'string')
    throw new Error('invariant: a requested call is queued')
  return added.call
}

/**
 * Returns true for a request that can't share a transaction with others, for one of two reasons. A third reason is known only
 * once the contact is locked: a new time zone moves waiting calls and so locks their campaigns. `decide` leaves out such a
 * request.
 */
export function needsOwnTransaction({ addition, api }: AddRequest): boolean {
  // With a callback URL, the request locks its connection until the commit, and disconnecting the app waits for that. If the
  // call has too many callback URLs, which is known only after it was queued, the whole transaction is rolled back.
  if (api !== null && api.callbackUrl !== null) return true
  // The request completes the contact's calls in other campaigns. In a shared transaction, it would lock those campaigns out of
  // order.
  return !(addition instanceof ApiError) && addition.doNotCallNumbers.length > 0
}

/**
 * Makes the decisions that don't need the contacts: locks connections and idempotency keys, and checks credentials. Requests
 * that aren't decided yet are missing from the result.
 */
async function checkRequests(
  tx: Scope,
  workspaceId: number,
  requests: readonly AddRequest[],
  now: Date,
): Promise<Map<AddRequest, Decision>> {
  const decisions = new Map<AddRequest, Decision>()
  const ofApi = requests.flatMap((request) => (request.api === null ? [] : [{ request, api: request.api }]))
  for (const { request, api } of ofApi) {
    const error = api.callbackUrl === null ? null : await lockCallbackOwner(tx.db, api.caller)
    if (error !== null) decisions.set(request, { kind: 'rejected', error })
  }
  const keys = ofApi.flatMap(({ api }) => (api.key === null ? [] : [api.key]))
  const states = await lockKeys(tx.db, workspaceId, keys, now)
  const hashes = ofApi.map(({ api }) => api.tokenHash)
  const credentialErrors = await findCredentialErrors(tx.db, hashes, now)

  for (const [index, { request, api }] of ofApi.entries()) {
    const error = credentialErrors[index] ?? null
    const state = api.key === null ? undefined : states.get(api.key)
    if (error !== null) decisions.set(request, { kind: 'rejected', error })
    else if (decisions.has(request)) continue
    else if (state?.kind === 'rejected') decisions.set(request, state)
    else if (state?.kind === 'stored') decisions.set(request, await replay(tx, api, state.response))
  }
  for (const request of requests) {
    if (decisions.has(request) || !(request.addition instanceof ApiError)) continue
    decisions.set(request, { kind: 'rejected', error: request.addition })
  }
  return decisions
}

/** Returns the stored response of the first request. Adds the repeated request's callback URL to the first request's call. */
async function replay(tx: Scope, api: ApiRequest, response: StoredResponse): Promise<Decision> {
  if (api.callbackUrl !== null) {
    checkCallbackUrl(tx.config, api.callbackUrl)
    const { call } = readContactAdded(response.body)
    await addCallback(tx, api.caller, { callId: call.id, url: api.callbackUrl })
    tx.notify.deliveryQueued()
  }
  return { kind: 'replayed', response }
}

/**
 * Locks the rows that requests need, and reads the values that decide about them. Contacts that are requested by ID are also
 * locked by their numbers. Before its number is locked, a contact can be erased, and another contact can get the number. So
 * `decide` compares the IDs.
 */
async function lockRows(
  { db }: Scope,
  workspaceId: number,
  requests: readonly AddRequest[],
  { isAlone }: { isAlone: boolean },
): Promise<Candidate[]> {
  const additions = requests.flatMap(({ addition }) => (addition instanceof ApiError ? [] : [addition]))
  if (additions.length === 0) return []
  const ids = additions.flatMap(({ contact }) => ('id' in contact ? [contact.id] : []))
  const numbersById = ids.length === 0 ? undefined : await findNumbersOfContacts(db, workspaceId, ids)
  const getNumber = ({ contact }: Addition) =>
    'id' in contact ? numbersById?.get(contact.id) : contact.phoneNumber

  const numbers = additions.flatMap((addition) => {
    const phoneNumber = getNumber(addition)
    return phoneNumber === undefined
      ? []
      : [{ phoneNumber, withVariables: Boolean(addition.changes.variables) }]
  })
  // The numbers of a single request are locked one after the other, in order, because this can wait for other transactions.
  if (isAlone)
    for (const { doNotCallNumbers } of additions) await lockNumbers(db, workspaceId, doNotCallNumbers)
  const found = await lockContactsByNumber(db, workspaceId, numbers, { waits: isAlone })
  const foundByNumber = new Map(found.map((contact) => [contact.phoneNumber, contact]))

  const campaignIds = [...new Set(additions.flatMap(({ call }) => (call === null ? [] : [call.campaignId])))]
  const campaigns = await lockCampaignsOf(db, workspaceId, campaignIds, { isAlone })

  return requests.flatMap((request): Candidate[] => {
    const { addition } = request
    if (addition instanceof ApiError) return []
    const phoneNumber = getNumber(addition)
    const contact = phoneNumber === undefined ? undefined : foundByNumber.get(phoneNumber)
    const campaign = addition.call === null ? undefined : campaigns.get(addition.call.campaignId)
    return [{ request, addition, contact, campaign, warnings: request.api?.warnings ?? [] }]
  })
}

/** Locks campaigns so that their rules don't change, because calls are planned with these rules. */
async function lockCampaignsOf(
  db: Db,
  workspaceId: number,
  campaignIds: readonly number[],
  { isAlone }: { isAlone: boolean },
): Promise<Map<number, CampaignRules | 'busy'>> {
  if (campaignIds.length === 0) return new Map()
  if (!isAlone) return tryLockCampaigns(db, workspaceId, campaignIds)
  const locked = await lockCampaigns(db, workspaceId, campaignIds, 'share')
  return new Map(locked.map((campaign) => [campaign.id, campaign]))
}

/**
 * Matches a request's variables with those of the campaign's agent. Variables that people type in files, forms, and Zaps are
 * saved under the agent's names. From a lenient request, leaves out variables that exceed the contact's limit.
 */
function nameVariables(candidate: Candidate): Candidate {
  const { request, addition, contact, campaign, warnings } = candidate
  const { variables } = addition.changes
  if (!variables || campaign === undefined || campaign === 'busy') return candidate
  const isLenient = request.api?.isLenient === true
  const renames = request.api === null || isLenient
  const named = matchVariables(variables, campaign.agentVariables, { renames })
  const fitting = isLenient ? fitVariables(named.variables, contact?.variableNames ?? []) : null
  return {
    ...candidate,
    addition: {
      ...addition,
      changes: { ...addition.changes, variables: fitting?.variables ?? named.variables },
    },
    warnings: [...warnings, ...named.warnings, ...(fitting?.warnings ?? [])],
  }
}

/** Returns the contacts whose calls would move if their requests were accepted. */
const findToReschedule = (
  { db }: Scope,
  workspaceId: number,
  candidates: readonly Candidate[],
): Promise<Set<number>> => {
  const ids = candidates.flatMap(({ addition: { changes }, contact }) => {
    if (contact === undefined || contact.id === null) return []
    return changes.time_zone === undefined || changes.time_zone === contact.timeZone ? [] : [contact.id]
  })
  return findContactsToReschedule(db, workspaceId, ids)
}

/** Returns the numbers that must not be called because of their type. */
const findNotAllowed = (
  { db }: Scope,
  workspaceId: number,
  candidates: readonly Candidate[],
): Promise<ReadonlySet<string>> => {
  const numbers = candidates.flatMap(({ addition: { call }, contact }) =>
    call === null || call.test || contact === undefined ? [] : [contact.phoneNumber],
  )
  return findNumbersNotAllowed(db, workspaceId, numbers)
}

interface Restrictions {
  /** Contacts whose calls would move. */
  toReschedule: ReadonlySet<number>
  /** Numbers that must not be called because of their type. */
  notAllowed: ReadonlySet<string>
  /** Says if the workspace's rules are in effect. */
  config: Scope['config']
}

/** Returns why a request isn't accepted, or null if it is. */
function decide(
  { addition, contact, campaign }: Candidate,
  { toReschedule, notAllowed, config }: Restrictions,
): Decision | null {
  const { call, changes, doNotCallNumbers } = addition
  if (contact === undefined) return reject(notFound('contact'))
  if (!contact.isBusy) {
    if ('id' in addition.contact && contact.id !== addition.contact.id) return reject(notFound('contact'))
    if (call?.ifListed === 'reject' && contact.isListed)
      return reject(new ApiError('validation_failed.do_not_call'))
  }
  if (call !== null && campaign === undefined)
    return reject(fieldError('campaign_id', 'not_found.object', { object: 'campaign' }))
  if (campaign !== undefined && campaign !== 'busy' && campaign.status === 'archived')
    return reject(fieldError('campaign_id', 'campaign_archived'))
  if (contact.isBusy) return leftOut
  const isListed = contact.isListed || doNotCallNumbers.length > 0
  // A call to a number on the do-not-call list isn't rejected: it's queued, and suppressed for that reason.
  if (call !== null && !call.test && !isListed && notAllowed.has(contact.phoneNumber))
    return reject(fieldError('phone_number', 'number_type_not_allowed'))
  if (countVariables(changes, contact) > maxVariables) return reject(tooManyVariables())
  if (campaign === 'busy') return leftOut
  if (call !== null && call.ifListed !== 'skip' && campaign !== undefined && !call.test && !isListed) {
    const rules = rulesInEffect(config, campaign.rules)
    if (!isCountryAllowed(rules, contact.phoneNumber)) return reject(countryNotAllowed(contact.phoneNumber))
  }
  if (contact.id !== null && toReschedule.has(contact.id)) return leftOut
  return null
}

const reject = (error: ApiError): AddResult => ({ kind: 'rejected', error })

/**
 * Counts the variables that the contact would have. Each request alone is within the limit, but several can exceed it together.
 */
const countVariables = ({ variables }: ContactValues, { variableNames }: FoundContact): number =>
  new Set([...Object.keys(variables ?? {}), ...(variableNames ?? [])]).size

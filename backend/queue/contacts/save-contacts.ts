import type { ContactAdded, Warning } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { fieldIssue } from '../../platform/core/errors.ts'
import type { Consent } from '../../platform/db/call-rules.ts'
import type { Db } from '../../platform/db/schema.ts'
import { type StoredResponse, storeResponses } from '../../platform/idempotency/idempotency.ts'
import { addCallback } from '../../webhooks/callbacks.ts'
import { addToDoNotCallList } from '../calls/do-not-call.ts'
import { type CallRow, findCallRows } from '../calls/find-calls.ts'
import { toCall } from '../calls/get-calls.ts'
import { queueCalls, type QueueResult } from '../calls/queue-calls.ts'
import { rescheduleContact } from '../calls/reschedule-calls.ts'
import { isCountryAllowed, rulesInEffect } from '../rules/call-rules.ts'
import { findConsentIssue, strictest } from '../rules/consent.ts'
import { dependsOnHistory } from '../rules/plan-call.ts'
import type { Accepted, Added, AddRequest, SkipReason } from './add-request.ts'
import { findMissingVariables } from './agent-variables.ts'
import { type ContactHistory, findHistories, upsertContacts } from './contact-store.ts'

type Scope = Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>

interface Saved extends Accepted {
  contactId: number
  created: boolean
  /** The contact's own time zone, as saved. */
  timeZone: string | null
  /** The saved history of the contact. Empty if no rule depends on it. */
  history: ContactHistory
  /** True if the number is on the do-not-call list now. */
  isListed: boolean
  /** Why the contact's call is skipped. Null if it isn't skipped, or if no call is requested. */
  skipped: SkipReason | null
}

interface SavedCall {
  saved: Saved
  call: QueueResult
}

/** Saves the contacts and the calls of accepted requests, and stores the responses for their idempotency keys. */
export async function saveAccepted(
  tx: Scope,
  workspaceId: number,
  accepted: readonly Accepted[],
  { isAlone, now }: { isAlone: boolean; now: Date },
): Promise<[AddRequest, Added][]> {
  if (accepted.length === 0) return []
  const contacts = await saveContacts(tx, workspaceId, accepted, now)
  // A batch never contains a request that moves or completes waiting calls.
  if (isAlone) for (const contact of contacts) await updateWaitingCalls(tx, workspaceId, contact, now)
  const calls = await saveCalls(tx, workspaceId, contacts, now)
  const callOf = new Map(calls.map(({ saved, call }) => [saved.request, call]))
  const responseOf = await respond(tx, workspaceId, calls, now)
  return contacts.map(({ request, contactId, created, skipped, warnings }) => [
    request,
    {
      kind: 'added',
      contact: { id: contactId, created },
      call: callOf.get(request) ?? skipped,
      warnings,
      response: responseOf.get(request) ?? null,
    },
  ])
}

async function saveContacts(
  tx: Scope,
  workspaceId: number,
  accepted: readonly Accepted[],
  now: Date,
): Promise<Saved[]> {
  // A request with only a number and no call is also saved. It changes no values, but undoing an import then knows who saved
  // the contact last.
  const changed = accepted.filter(
    ({ addition, contact }) => contact.id === null || addition.call === null || hasChanges(addition.changes),
  )
  const upserted = await upsertContacts(
    tx.db,
    workspaceId,
    changed.map(({ addition: { changes, actor }, contact }) => ({
      phone_number: contact.phoneNumber,
      changes,
      changed_by: actor,
    })),
    now,
  )
  const saved = accepted.map((candidate) => {
    const { id = candidate.contact.id, created = false } = upserted.get(candidate.contact.phoneNumber) ?? {}
    if (id === null) throw new Error('invariant: the contact was neither created nor found')
    return { ...candidate, contactId: id, created }
  })
  const idsToCheck = saved.flatMap(({ campaign, contactId }) => {
    const rules = campaign && rulesInEffect(tx.config, campaign.rules)
    return campaign !== undefined && rules && dependsOnHistory(rules, campaign.requires) ? [contactId] : []
  })
  const histories = await findHistories(tx.db, workspaceId, idsToCheck)
  return saved.map((candidate): Saved => {
    const { addition, contact, contactId } = candidate
    const { time_zone: timeZone = contact.timeZone } = addition.changes
    const isListed = contact.isListed || addition.doNotCallNumbers.length > 0
    const history = histories.get(contactId) ?? { consent: null, use: null }
    const skipped = findSkipReason(tx, candidate, { isListed, consent: history.consent, now })
    return { ...candidate, timeZone, isListed, history, skipped }
  })
}

function findSkipReason(
  { config }: Scope,
  { addition: { call }, campaign, contact }: Accepted,
  { isListed, consent, now }: { isListed: boolean; consent: Consent | null; now: Date },
): SkipReason | null {
  if (call?.ifListed !== 'skip' || campaign === undefined) return null
  if (isListed) return 'listed'
  const rules = rulesInEffect(config, campaign.rules)
  if (call.test || rules === null) return null
  if (!isCountryAllowed(rules, contact.phoneNumber)) return 'country_not_allowed'
  return findConsentIssue(strictest(rules, campaign.requires), consent, now)
}

const hasChanges = (changes: object): boolean => Object.values(changes).some((value) => value !== undefined)

/** Applies a request to the contact's waiting calls: adds its numbers to the do-not-call list, or follows a new time zone. */
async function updateWaitingCalls(
  tx: Scope,
  workspaceId: number,
  { addition, contact, contactId, created, timeZone }: Saved,
  now: Date,
): Promise<void> {
  const { actor, doNotCallNumbers: phoneNumbers } = addition
  // Adding the number to the list completes the waiting calls, so they needn't be rescheduled.
  if (phoneNumbers.length > 0) {
    const source = actor.kind === 'api_key' || actor.kind === 'app' ? 'api' : 'dashboard'
    await addToDoNotCallList(tx, workspaceId, { phoneNumbers, source, addedBy: actor, now })
  } else if (!created && timeZone !== contact.timeZone) {
    await rescheduleContact(tx, workspaceId, contactId, now)
    tx.notify.callQueued()
  }
}

async function saveCalls(
  tx: Scope,
  workspaceId: number,
  contacts: readonly Saved[],
  now: Date,
): Promise<SavedCall[]> {
  const requested = contacts.flatMap((saved) => {
    const { addition, campaign, contact, contactId, history, isListed, skipped, timeZone } = saved
    const { call } = addition
    if (call === null || campaign === undefined || skipped !== null) return []
    const callee = { phoneNumber: contact.phoneNumber, timeZone, ...history }
    return [{ saved, call: { ...call, contactId, callee, isListed, campaign } }]
  })
  const queued = await queueCalls(
    tx,
    workspaceId,
    requested.map(({ call }) => call),
    now,
    { withRows: requested.some(({ saved }) => saved.request.api !== null) },
  )
  const calls = queued.flatMap((call, index) => {
    const saved = requested[index]?.saved
    return saved === undefined ? [] : [{ saved, call }]
  })
  for (const { saved, call } of calls) {
    const { api } = saved.request
    if (api === null || api.callbackUrl === null) continue
    await addCallback(tx, api.caller, { callId: call.id, url: api.callbackUrl })
    tx.notify.deliveryQueued()
  }
  return calls
}

/** Returns the responses to requests from the API, and stores those whose requests have an idempotency key. */
async function respond(
  tx: Scope,
  workspaceId: number,
  calls: readonly SavedCall[],
  now: Date,
): Promise<Map<AddRequest, StoredResponse>> {
  const ofApi = calls.filter(({ saved }) => saved.request.api !== null)
  if (ofApi.length === 0) return new Map()
  const rows = await readCalls(tx.db, workspaceId, ofApi, now)
  const responses = ofApi.map(({ saved, call: { id, queued, suppressedFor } }) => {
    const row = rows.get(id)
    if (row === undefined) throw new Error('invariant: queued call not found')
    const call = toCall(tx.config, row)
    const { campaign } = saved
    // A call that was completed at once isn't placed, so its greeting needs no values.
    const missing =
      campaign === undefined || call.status === 'completed'
        ? []
        : findMissingVariables(campaign, call.contact)
    const body: ContactAdded = {
      contact: call.contact,
      call,
      contact_created: saved.created,
      call_queued: queued,
      warnings: [...saved.warnings, ...missing, ...warnSuppressed(suppressedFor)],
    }
    return { request: saved.request, response: { status: queued ? 201 : 200, body } }
  })
  const toStore = responses.flatMap(({ request, response }) => {
    const key = request.api?.key ?? null
    return key === null ? [] : [{ request: key, response }]
  })
  if (toStore.length > 0) await storeResponses(tx.db, workspaceId, toStore, now)
  return new Map(responses.map(({ request, response }) => [request, response]))
}

/**
 * Warns about the rule that doesn't allow a call. Doesn't warn about the do-not-call list, because the response's contact shows
 * that, or about the country, because the request was rejected.
 */
const warnSuppressed = (reason: QueueResult['suppressedFor']): Warning[] =>
  reason === null || reason === 'do_not_call' || reason === 'destination_not_allowed'
    ? []
    : [fieldIssue(fieldOfRule[reason], reason)]

/** For each rule, the field of the request that a user can change to get a call that the rule allows. */
const fieldOfRule = {
  consent_missing: 'consent',
  consent_expired: 'consent',
  frequency: 'phone_number',
  no_permitted_hour: 'campaign_id',
}

/** Returns calls by ID. Reads calls from the database only if they weren't queued now or were completed at once. */
async function readCalls(
  db: Db,
  workspaceId: number,
  calls: readonly SavedCall[],
  now: Date,
): Promise<Map<number, CallRow>> {
  const rows = calls.flatMap(({ call }) => call.row ?? [])
  const others = calls.filter(({ call }) => call.row === null)
  if (others.length > 0) {
    const ids = others.map(({ call }) => call.id)
    const listedIds = others.flatMap(({ saved, call }) => (saved.isListed ? [call.id] : []))
    rows.push(...(await findCallRows(db, workspaceId, ids, now, listedIds)))
  }
  return new Map(rows.map((row) => [row.id, row]))
}

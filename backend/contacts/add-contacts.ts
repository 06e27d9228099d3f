import type { AddContact, CallingHours, ContactAdded, TranscriptTurn, WaitingFor } from '@outdial/contract'
import { LRUCache } from 'lru-cache'
import { toCall } from '../calls/get-calls.ts'
import { normalizeNumber } from '../calls/resolve-number.ts'
import { toActor } from '../core/actor.ts'
import type { Caller } from '../core/caller.ts'
import { secondMs } from '../core/durations.ts'
import { ApiError, describeError, fieldError } from '../core/errors.ts'
import { share } from '../core/share.ts'
import { getPools } from '../db/connect.ts'
import { isRolledBack } from '../db/outage.ts'
import { blankContact } from '../db/tables/contact-fields.ts'
import { scopeToWorkspace } from '../db/workspace-scope.ts'
import type { Deps } from '../deps.ts'
import { planCall } from '../scheduling/calling-hours.ts'
import { checkScheduledAt } from '../scheduling/local-time.ts'
import {
  type AddContactResult,
  type AddContactRow,
  addContactRows,
  type AddedRow,
} from './add-contacts-store.ts'
import { checkConsentDate, maxVariables, toContactValues, tooManyVariables } from './upsert-contact.ts'

/** A validated `POST /contacts/`. */
interface AddRequest {
  caller: Caller
  /** The SHA-256 of the caller's credential, which the statement checks again. */
  tokenHash: Buffer
  body: AddContact
  /** What identifies a repeated request. Null without an idempotency key. `lock` is a bigint. */
  idempotency: { scopeHash: Buffer; bodyHash: Buffer; lock: string } | null
}

/** `alone`: the request must be handled in a transaction of its own. The others are errors of the API. */
type AddResult =
  | { status: number; body: unknown; replayed: boolean }
  | { failed: 'alone' | 'unauthorized' | 'key_in_use' | 'key_reused' }

type AdderDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'log' | 'notify'>

/** When a campaign may call, at a version of its rules. */
interface KnownRules {
  version: number
  callingHours: CallingHours
  timeZone: string
}

/** Enough to plan the call again, also if its campaign changes meanwhile. */
const maxRounds = 4

/**
 * Creates the function that adds contacts and queues their calls. Concurrent requests of a workspace share a statement.
 * Each has a result or an error of its own, as if it had been handled alone.
 *
 * Calls are planned with the campaign's rules and the contact's time zone as they were last seen. If these have changed,
 * the statement does nothing for the request and returns the current ones.
 *
 * @param options.responseTtlMs how long the response of an idempotency key is stored
 */
export function createContactAdder(
  deps: AdderDeps,
  { responseTtlMs }: { responseTtlMs: number },
): (request: AddRequest) => Promise<AddResult> {
  const knownRules = new LRUCache<string, KnownRules>({ max: 10_000 })
  const [pool] = getPools(deps.db)

  const addRows = async (workspaceId: number, rows: readonly AddContactRow[]) => {
    const at = deps.clock.now()
    const responseExpiresAt = new Date(at.getTime() + responseTtlMs)
    try {
      return await addContactRows(deps.db, workspaceId, rows, { at, responseExpiresAt, maxVariables })
    } catch (error) {
      if (!isRolledBack(error)) throw error
      deps.log.warn({ error: describeError(error), requests: rows.length }, 'a shared statement failed')
      return rows.map(() => ({ result: 'alone' as const }))
    }
  }
  const addTogether = share<AddContactRow, AddContactResult>(addRows, {
    maxSize: 64,
    // Half of the connections remain for credentials and everything else, even if all statements wait.
    maxRunning: Math.max(1, Math.floor(pool.options.max / 2)),
    maxRunningPerGroup: 1,
    // A statement takes a few milliseconds, unless it waits at its commit for the queue of a campaign.
    slowAfterMs: 100,
    // A request that waits hasn't changed anything, so its client can safely send it again.
    deadline: {
      maxWaitMs: 10 * secondMs,
      createError: () => new ApiError('unavailable', { headers: { 'Retry-After': '1' } }),
    },
    keysOf: ({ phone_number: phoneNumber, scope_lock: lock }) =>
      lock === null ? [phoneNumber] : [phoneNumber, lock],
  })

  return async (request) => {
    const { caller, body: input } = request
    const { workspaceId } = caller
    // These need several statements.
    if (input.callback_url || input.do_not_call === true) return { failed: 'alone' }
    const now = deps.clock.now()
    const scheduledAt = checkScheduledAt(input.scheduled_at ? new Date(input.scheduled_at) : null, now)
    checkConsentDate(input.consent, now)
    const scoped = scopeToWorkspace(deps, workspaceId)
    const { phone_number, country } = input
    const phoneNumber = await normalizeNumber(scoped.db, workspaceId, { phoneNumber: phone_number, country })
    const rulesKey = `${workspaceId}:${input.campaign_id}`
    let timeZone = input.time_zone ?? null

    for (let round = 1; round <= maxRounds; round += 1) {
      const rules = knownRules.get(rulesKey)
      const row = toRow(request, { phoneNumber, timeZone, scheduledAt, now, rules })
      const added = await addTogether(workspaceId, row)
      switch (added.result) {
        case 'done':
          deps.notify.callQueued()
          return {
            status: added.body.call_queued ? 201 : 200,
            body: formatAdded(deps.config, added.body),
            replayed: false,
          }
        case 'replayed':
          return { ...added.body, body: toStoredResponse(deps.config, added.body.body), replayed: true }
        case 'other_plan':
          knownRules.set(rulesKey, {
            version: added.body.rules_version,
            callingHours: added.body.calling_hours,
            timeZone: added.body.campaign_time_zone,
          })
          if (input.time_zone === undefined) timeZone = added.body.contact_time_zone
          break
        case 'campaign_not_found':
          throw fieldError('campaign_id', 'not_found.object', { object: 'campaign' })
        case 'campaign_archived':
          throw fieldError('campaign_id', 'campaign_archived')
        case 'too_many_variables':
          throw tooManyVariables()
        case 'alone':
        case 'unauthorized':
        case 'key_in_use':
        case 'key_reused':
          return { failed: added.result }
      }
    }
    return { failed: 'alone' }
  }
}

/** Returns a row as `add_contacts` takes it. If the rules aren't known, the function queues nothing and returns them. */
function toRow(
  { caller, tokenHash, body: input, idempotency }: AddRequest,
  call: {
    phoneNumber: string
    timeZone: string | null
    scheduledAt: Date | null
    now: Date
    rules: KnownRules | undefined
  },
): AddContactRow {
  const { phoneNumber, timeZone, scheduledAt, rules } = call
  const dueAt = scheduledAt ?? call.now
  const plan = rules && planCall(rules, { phoneNumber, timeZone }, dueAt)
  const test = input.test ?? false
  const actor = toActor(caller)
  return {
    token_hash: toBytea(tokenHash),
    scope_lock: idempotency && idempotency.lock,
    scope_hash: idempotency && toBytea(idempotency.scopeHash),
    body_hash: idempotency && toBytea(idempotency.bodyHash),
    phone_number: phoneNumber,
    changes: toContactValues(input),
    changed_by: actor,
    time_zone: timeZone,
    campaign_id: input.campaign_id,
    rules_version: rules?.version ?? null,
    test,
    additional: input.if_already_queued === 'queue',
    scheduled_at: scheduledAt,
    due_at: dueAt,
    next_attempt_at: test ? dueAt : (plan?.at ?? dueAt),
    metadata: input.metadata ?? {},
    origin: actor,
    zones: plan === undefined ? {} : { time_zones: [...plan.zones], time_zone_source: plan.source },
  }
}

const toBytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`

/** Returns the response of a request as the API shows it. */
function formatAdded(config: Deps['config'], added: AddedRow): ContactAdded {
  const { row } = added
  const toDate = (time: string | null) => (time === null ? null : new Date(time))
  const open = {
    ...row,
    waiting_for: getWaitingFor(row, new Date(added.at)),
    next_attempt_at: toDate(row.next_attempt_at),
    due_at: new Date(row.due_at),
    scheduled_at: toDate(row.scheduled_at),
    queued_at: new Date(row.queued_at),
    answered_at: toDate(row.answered_at),
    consent_at: toDate(row.consent_at),
    created_at: new Date(row.created_at),
    updated_at: new Date(row.updated_at),
  }
  const call = toCall(config, { ...open, ...noResult })
  return {
    contact: call.contact,
    call,
    contact_created: added.contact_created,
    call_queued: added.call_queued,
  }
}

/** Decides the same as `waitingFor` in calls/can-call.ts, from what the function `add_contacts` returns. */
function getWaitingFor(row: AddedRow['row'], now: Date): WaitingFor | null {
  if (row.status !== 'queued') return null
  if (row.campaign_status === 'paused') return 'campaign_paused'
  if (row.agent_status !== 'live') return 'agent_not_live'
  if (row.number_status !== 'active') return 'number_not_active'
  if (new Date(row.due_at) > now) return row.attempts > 0 ? 'retry' : 'schedule'
  if (row.next_attempt_at !== null && new Date(row.next_attempt_at) > now) return 'calling_hours'
  return row.at_capacity ? 'concurrency' : null
}

/** What an open call doesn't have yet. */
const noResult = {
  outcome: null,
  ended_reason: null,
  ended_at: null,
  duration_seconds: null,
  summary: null,
  transcript: [] as TranscriptTurn[],
  sentiment: 'unknown',
  goal_met: null,
  extracted: {},
  recording_url: null,
  completed_contact: null,
} as const

/** Returns a stored response of `POST /contacts/` as the API shows it. Some are stored as the database returned them. */
export const toStoredResponse = (config: Deps['config'], stored: unknown): unknown =>
  isAddedRow(stored) ? formatAdded(config, stored) : stored

export const isAddedRow = (stored: unknown): stored is AddedRow =>
  typeof stored === 'object' && stored !== null && 'row' in stored

/** Erases the contact from a stored row. */
export const toErasedRow = (added: AddedRow): AddedRow => ({
  ...added,
  row: {
    ...added.row,
    to_number: '',
    metadata: {},
    phone_number: '',
    ...blankContact,
  },
})

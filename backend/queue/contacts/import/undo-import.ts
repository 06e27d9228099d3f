import type { Deps } from '../../../deps.ts'
import type { Actor } from '../../../platform/core/actor.ts'
import type { Caller } from '../../../platform/core/caller.ts'
import { dayMs } from '../../../platform/core/durations.ts'
import { FormError } from '../../../platform/core/form-errors.ts'
import type { ContactEraser } from '../../../platform/db/erasure.ts'
import { lockCallsOfContact } from '../../../platform/db/locks.ts'
import type { LeftReason, UndoCounts } from '../../../platform/db/tables/call-tables.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { eraseContactFromResponses } from '../../../platform/idempotency/erase-responses.ts'
import { eraseCallbackUrls, eraseEvents } from '../../../webhooks/erase-events.ts'
import { completeQueuedCalls } from '../../calls/complete-calls.ts'
import { eraseCalls, eraseDoNotCallReasons } from '../../calls/erase-calls.ts'
import { findContactsToReschedule, rescheduleContact } from '../../calls/reschedule-calls.ts'
import { eraseChanges, eraseChatsOfContact, eraseContactRow } from '../erase-contact-data.ts'
import { type ImportJob, releaseImport, renewImportLease } from './import-store.ts'
import { joinChanges, toRestorableValues } from './restorable-values.ts'
import {
  cancelRetries,
  type ContactToUndo,
  deleteRowsOf,
  findImportedContacts,
  findUndo,
  finishUndo,
  leaveToOtherImports,
  lockImportedContacts,
  lockOpenCalls,
  markUndoStarted,
  readImportedContacts,
  restoreValues,
  saveUndoProgress,
} from './undo-store.ts'

type UndoDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>

export const undoTtlMs = dayMs

/**
 * The maximum number of calls or contacts per transaction. It's low, so that other requests for these contacts don't wait long.
 */
const batchSize = 50

const noCounts: UndoCounts = { calls: 0, removed: 0, restored: 0, left: {} }

/** Says if an import can be undone, and what an undo has done. */
type UndoState =
  | { kind: 'not imported' }
  | { kind: 'possible'; until: Date; fileName: string }
  | { kind: 'too late' }
  | { kind: 'running'; counts: UndoCounts }
  | { kind: 'undone'; counts: UndoCounts; by: Actor | null; at: Date }

/** Returns whether an import can be undone. `not imported` can also mean that the import was deleted. */
export async function getUndoState(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  importId: number,
): Promise<UndoState> {
  const found = await findUndo(db, workspaceId, importId)
  const counts = found?.counts ?? noCounts
  if (found?.status === 'undoing') return { kind: 'running', counts }
  if (found?.status === 'undone' && found.undoneAt !== null)
    return { kind: 'undone', counts, by: found.undoneBy, at: found.undoneAt }
  const isImported = found?.status === 'done' || (found?.status === 'failed' && found.hasStarted)
  if (!isImported || found.finishedAt === null) return { kind: 'not imported' }
  const until = new Date(Math.min(found.finishedAt.getTime() + undoTtlMs, found.expiresAt.getTime()))
  return until > clock.now() ? { kind: 'possible', until, fileName: found.fileName } : { kind: 'too late' }
}

/**
 * Starts to undo an import. A worker does the work. If two members start it, the import is still undone only once.
 *
 * @returns true if this request started it
 * @throws {FormError} validation_failed if it's too late, or if nothing was imported
 */
export async function startUndo(
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  caller: Pick<Caller, 'workspaceId' | 'userId'>,
  importId: number,
): Promise<boolean> {
  const { workspaceId, userId } = caller
  const state = await getUndoState(deps, workspaceId, importId)
  if (state.kind === 'too late' || state.kind === 'not imported')
    throw new FormError('validation_failed', describeNoUndo(state.kind))
  if (state.kind !== 'possible') return false
  const finishedAfter = new Date(deps.clock.now().getTime() - undoTtlMs)
  const by = { kind: 'member', id: userId } as const
  const isStarted = await markUndoStarted(deps.db, workspaceId, importId, { by, finishedAfter })
  deps.notify.importQueued()
  return isStarted
}

export const describeNoUndo = (kind: Exclude<UndoState['kind'], 'possible'>): string =>
  ({
    'not imported': 'There is nothing to undo, because no contacts were imported from this file.',
    'too late':
      'An import can be undone for 24 hours after it finishes. This import finished earlier than that.',
    running: 'This import is already being undone.',
    undone: 'This import was already undone.',
  })[kind]

/**
 * Undoes an import in batches: cancels its calls that still wait, and then restores or removes its contacts. Each batch is
 * committed with its result and the position to continue at, so that a process that takes over repeats nothing.
 */
export async function undoImport(deps: UndoDeps, job: ImportJob, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (signal.aborted) return releaseImport(deps.db, job)
    if (!(await inTransaction(deps, (tx) => undoBatch(tx, job)))) return
  }
}

/** Ends an undo that failed again and again. A member can continue it. */
export const failUndo = ({ db }: Pick<Deps, 'db'>, job: ImportJob): Promise<void> =>
  finishUndo(db, job, {
    error:
      'Something went wrong on our side, and the import was only partly undone. Undo it again to continue.',
  })

/** Undoes the next batch. Returns false if nothing is left to undo, or if another process has leased the job. */
async function undoBatch(tx: UndoDeps, job: ImportJob): Promise<boolean> {
  if (!(await renewImportLease(tx.db, job))) return false
  const found = await findUndo(tx.db, job.workspaceId, job.id)
  if (found?.undoneBy?.kind !== 'member') throw new Error('invariant: an import that is undone has a member')
  const by = { kind: 'import_undo', id: job.id, user_id: found.undoneBy.id } as const
  const { afterContactId } = found
  const counts = found.counts ?? noCounts
  const calls = await cancelCalls(tx, job, by)
  if (calls !== undefined) {
    const total = { ...counts, calls: counts.calls + calls }
    await saveUndoProgress(tx.db, job, { counts: total, afterContactId })
    return true
  }
  const contactIds = await findImportedContacts(tx.db, job, { after: afterContactId ?? 0, limit: batchSize })
  if (contactIds.length === 0) {
    await finishUndo(tx.db, job, { undoneAt: tx.clock.now() })
    return false
  }
  const done = await undoContacts(tx, job, contactIds, by)
  await saveUndoProgress(tx.db, job, {
    counts: addResults(counts, done.results),
    afterContactId: done.afterContactId,
  })
  return true
}

/**
 * Cancels the import's next waiting calls, except those that another import also asked for. A call that's being placed isn't
 * retried.
 *
 * @returns how many were canceled, or undefined if no calls are left
 */
async function cancelCalls(tx: UndoDeps, job: ImportJob, by: Actor): Promise<number | undefined> {
  const locked = await lockOpenCalls(tx.db, job, batchSize)
  if (locked.length === 0) return undefined
  const { workspaceId } = job
  const lockedIds = locked.map(({ id }) => id)
  const left = await leaveToOtherImports(tx.db, job, lockedIds)
  const open = locked.filter(({ id }) => !left.has(id))
  const waiting = open.filter(({ status }) => status === 'queued').map(({ id }) => id)
  const placed = open.filter(({ status }) => status !== 'queued').map(({ id }) => id)
  if (placed.length > 0) await cancelRetries(tx.db, workspaceId, placed, by)
  const end = { outcome: 'canceled', endedReason: 'canceled_by_user', canceledBy: by } as const
  const canceled = await completeQueuedCalls(tx, workspaceId, waiting, { ...end, at: tx.clock.now() })
  return canceled.length
}

type ContactResult = 'removed' | 'restored' | LeftReason

/**
 * Removes or restores contacts. If restoring a contact's time zone moves its waiting calls, the batch ends before that contact.
 * The contact is then restored alone, because moving calls locks their campaigns.
 */
async function undoContacts(
  tx: UndoDeps,
  job: ImportJob,
  contactIds: readonly number[],
  by: Actor,
): Promise<{ results: ContactResult[]; afterContactId: number }> {
  await lockImportedContacts(tx.db, job, contactIds)
  const contacts = new Map((await readImportedContacts(tx.db, job, contactIds)).map((row) => [row.id, row]))
  const toReschedule = await findContactsToReschedule(tx.db, job.workspaceId, contactIds)
  const results: ContactResult[] = []
  const removed: ContactToUndo[] = []
  let afterContactId = 0
  for (const id of contactIds) {
    const contact = contacts.get(id)
    const result = contact === undefined ? 'erased' : toUndoStep(contact)
    const moves = typeof result === 'object' && 'time_zone' in result.values && toReschedule.has(id)
    if (moves && results.length > 0) break
    if (contact !== undefined && result === 'removed') removed.push(contact)
    if (typeof result === 'object')
      await restoreValues(tx.db, job.workspaceId, id, result.values, { at: tx.clock.now(), by })
    results.push(typeof result === 'object' ? 'restored' : result)
    afterContactId = id
    if (!moves) continue
    await rescheduleContact(tx, job.workspaceId, id, tx.clock.now())
    tx.notify.callQueued()
    break
  }
  for (const contact of removed) await removeContact(tx, job, contact)
  const numbers = removed.map(({ phoneNumber }) => phoneNumber)
  await deleteRowsOf(tx.db, job, numbers)
  return { results, afterContactId }
}

function toUndoStep({ created, leftReason, current, changes }: ContactToUndo) {
  if (created) return leftReason ?? 'removed'
  const known = changes.flatMap(({ oldValues, newValues }) =>
    oldValues === null || newValues === null ? [] : [{ oldValues, newValues }],
  )
  if (known.length < changes.length) return 'erased'
  const values = toRestorableValues(current, joinChanges(known))
  return values === undefined ? 'newer_values' : { values }
}

/**
 * The erasers for a contact that only the import has used, apart from chats in which members took the contact's place. Such a
 * contact has no call attempts, tool calls, or notes, so these erasers from `privacy/erase-contact.ts` are enough.
 */
const erasers: readonly ContactEraser[] = [
  eraseContactRow,
  eraseCalls,
  eraseCallbackUrls,
  eraseEvents,
  eraseDoNotCallReasons,
  eraseChanges,
  eraseChatsOfContact,
  eraseContactFromResponses,
]

async function removeContact(
  { db, clock }: UndoDeps,
  { workspaceId }: ImportJob,
  { id: contactId, phoneNumber, current }: ContactToUndo,
): Promise<void> {
  const calls = await lockCallsOfContact(db, workspaceId, contactId)
  const at = clock.now()
  const identifiers = { phoneNumber, digits: phoneNumber.slice(1), email: current.email ?? null }
  const callIds = calls.map(({ id }) => id)
  for (const erase of erasers)
    await erase(db, {
      workspaceId,
      contactId,
      callIds,
      ...identifiers,
      mentionIds: [],
      mentionsReadAt: at,
      chatIds: [],
      at,
    })
}

function addResults(counts: UndoCounts, results: readonly ContactResult[]): UndoCounts {
  const left = { ...counts.left }
  let { removed, restored } = counts
  for (const result of results) {
    if (result === 'removed') removed += 1
    else if (result === 'restored') restored += 1
    else left[result] = (left[result] ?? 0) + 1
  }
  return { ...counts, removed, restored, left }
}

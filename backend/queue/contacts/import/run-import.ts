import type { Deps } from '../../../deps.ts'
import type { Actor } from '../../../platform/core/actor.ts'
import { ApiError } from '../../../platform/core/errors.ts'
import { leftOut } from '../../../platform/core/share.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { addContacts } from '../add-contacts.ts'
import type { AddRequest, AddResult, Decision } from '../add-request.ts'
import { toContactChanges } from '../contact-input.ts'
import {
  findImportCampaign,
  finishImportStep,
  type ImportJob,
  lockRemainingRows,
  releaseImport,
  type RemainingRows,
  renewImportLease,
  type RowResult,
  writeRowResults,
} from './import-store.ts'
import { ImportedContact } from './parse-row.ts'

type ImportDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>

/** The maximum number of rows per transaction. It's low, so that other requests for these contacts don't wait long. */
const batchSize = 50

/**
 * Imports the remaining rows in batches. Rows of people who must not be called come first, because other rows of these people
 * would queue calls. A row is committed together with its result, so a process that takes over from a lost one doesn't import
 * any row twice. Rows that a batch leaves out are imported next, one at a time.
 */
export async function runImport(deps: ImportDeps, job: ImportJob, signal: AbortSignal): Promise<void> {
  let next: 'do not call' | 'any' = 'do not call'
  let aloneRows: readonly number[] = []
  for (;;) {
    if (signal.aborted) return releaseImport(deps.db, job)
    const [position, ...others] = aloneRows
    const rows = position === undefined ? next : { position }
    const done = await inTransaction(deps, (tx) => importRows(tx, job, rows))
    if (done === 'finished') return
    if (done === 'none left') next = 'any'
    else aloneRows = position === undefined ? done.aloneRows : others
  }
}

/**
 * Imports the next rows, or a single row alone.
 *
 * @returns the positions of the rows that must run alone
 */
async function importRows(
  tx: ImportDeps,
  job: ImportJob,
  which: RemainingRows,
): Promise<{ aloneRows: number[] } | 'none left' | 'finished'> {
  const { db, clock } = tx
  if (!(await renewImportLease(db, job))) return 'finished'
  const { campaignId, userId, fileName } = await findImportCampaign(db, job)
  const actor = { kind: 'import', id: job.id, user_id: userId, name: fileName } as const
  const isAlone = typeof which === 'object'
  const rows = await lockRemainingRows(db, job, which, isAlone ? 1 : batchSize)
  if (rows.length === 0 && which === 'do not call') return 'none left'
  if (rows.length === 0 && !isAlone) {
    await finishImportStep(db, job, { status: 'done', at: clock.now() })
    return 'finished'
  }
  const contacts = rows.map(({ fields }) => ImportedContact.parse(fields))
  const requests = contacts.map((contact) => toRequest(contact, { campaignId, actor, now: clock.now() }))
  const decisions = await addContacts(tx, job.workspaceId, requests, { isAlone })
  const results: RowResult[] = []
  const aloneRows: number[] = []
  for (const [index, { position }] of rows.entries()) {
    const decision = decisions[index]
    if (decision === undefined || decision === leftOut) aloneRows.push(position)
    else if (!isCampaignArchived(decision)) {
      const isDenied = campaignId !== null && contacts[index]?.consent_denied === true
      results.push(toRowResult(position, decision, isDenied ? 'no_consent' : null))
    }
  }
  await writeRowResults(db, job, results)
  if (decisions.some(isCampaignArchived)) {
    const error = "The campaign was archived during the import. The remaining rows weren't imported."
    await finishImportStep(db, job, { status: 'failed', error, at: clock.now() })
    return 'finished'
  }
  if (isAlone && aloneRows.length > 0)
    throw new Error('invariant: a row that is imported alone is never left out')
  return { aloneRows }
}

function toRequest(
  input: ImportedContact,
  { campaignId, actor, now }: { campaignId: number | null; actor: Actor & { kind: 'import' }; now: Date },
): AddRequest {
  const call = {
    scheduledAt: null,
    ifOpen: 'skip',
    ifListed: 'skip',
    test: false,
    metadata: {},
    origin: actor,
  } as const
  try {
    const { changes } = toContactChanges(input, input.phone_number, actor, now)
    const isDenied = input.consent_denied === true
    const addition = {
      // Someone who says no takes back the consent that they have given before.
      changes: isDenied ? { ...changes, ...noConsent } : changes,
      actor,
      // The check of the file has normalized the number.
      contact: { phoneNumber: input.phone_number },
      doNotCallNumbers: input.do_not_call === true ? [input.phone_number, ...input.other_numbers] : [],
      call: campaignId === null || isDenied ? null : { campaignId, ...call },
    }
    return { addition, api: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { addition: error, api: null }
  }
}

const noConsent = { consent_source: null, consent_at: null, consent_kind: null }

const isCampaignArchived = (decision: Decision): boolean =>
  decision !== leftOut && decision.kind === 'rejected' && decision.error.code === 'campaign_archived'

function toRowResult(position: number, decision: AddResult, notCalled: 'no_consent' | null): RowResult {
  if (decision.kind === 'replayed') throw new Error('invariant: a row has no idempotency key')
  if (decision.kind === 'rejected') {
    const issues = [{ column: '', message: decision.error.message }]
    return { position, result: 'failed', call: null, issues }
  }
  const { contact, call, warnings } = decision
  // Leaves out warnings about variables, because they would be the same in each row.
  const isCleared = warnings.some(({ code }) => code === 'consent_kind_cleared')
  const row = {
    position,
    result: contact.created ? ('created' as const) : ('updated' as const),
    issues: isCleared ? [{ column: '', message: kindCleared }] : [],
  }
  if (call === null) return { ...row, call: notCalled }
  if (call === 'listed') return { ...row, call: 'do_not_call' }
  if (typeof call === 'string') return { ...row, call }
  return { ...row, call: call.suppressedFor ?? (call.queued ? 'queued' : 'open') }
}

const kindCleared =
  'The kind of the saved consent was cleared, because the new consent has another source or date, and no kind.'

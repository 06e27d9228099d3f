import { isOnDoNotCallList } from '../../calls/check-do-not-call.ts'
import { queueCall } from '../../calls/queue-call.ts'
import type { Actor } from '../../core/actor.ts'
import { ApiError } from '../../core/errors.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { ContactInput, upsertContactFromInput } from '../upsert-contact.ts'
import {
  findImportCampaign,
  finishImportStep,
  type ImportJob,
  lockRemainingRows,
  releaseImport,
  renewImportLease,
  rollBackRow,
  type RowResult,
  setRowSavepoint,
  writeRowResults,
} from './import-store.ts'

type ImportDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>

type ImportActor = Actor & { kind: 'import' }

/** Rows per transaction. Few, so that other requests for these contacts don't wait long. */
const batchSize = 50

/**
 * Imports the remaining rows in batches. A row is committed together with its result, so a process that takes over from
 * a lost one doesn't import any row twice.
 */
export async function runImport(deps: ImportDeps, job: ImportJob, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (signal.aborted) return releaseImport(deps.db, job)
    if (!(await inTransaction(deps, (tx) => importBatch(tx, job)))) return
  }
}

/** Imports a batch. Returns true if there may be more rows. */
async function importBatch(tx: ImportDeps, job: ImportJob): Promise<boolean> {
  const { db, clock, notify } = tx
  if (!(await renewImportLease(db, job))) return false
  const { campaignId, userId, fileName } = await findImportCampaign(db, job)
  const actor: ImportActor = { kind: 'import', id: job.id, user_id: userId, name: fileName }
  const rows = await lockRemainingRows(db, job, batchSize)
  if (rows.length === 0) {
    await finishImportStep(db, job, { status: 'done', at: clock.now() })
    return false
  }
  const parsed = rows.map(({ position, fields }) => ({ position, input: ContactInput.parse(fields) }))
  // The same order in every import, so that two imports can't deadlock.
  parsed.sort((a, b) => (a.input.phone_number < b.input.phone_number ? -1 : 1))
  const results: RowResult[] = []
  for (const row of parsed) {
    const result = await importRow(tx, job.workspaceId, row, { campaignId, actor })
    if (result === 'campaign_archived') {
      await writeRowResults(db, job, results)
      const error = "The campaign was archived during the import. The remaining rows weren't imported."
      await finishImportStep(db, job, { status: 'failed', error, at: clock.now() })
      return false
    }
    results.push(result)
  }
  await writeRowResults(db, job, results)
  notify.callQueued()
  return true
}

async function importRow(
  tx: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  { position, input }: { position: number; input: ContactInput },
  { campaignId, actor }: { campaignId: number | null; actor: ImportActor },
): Promise<RowResult | 'campaign_archived'> {
  const now = tx.clock.now()
  await setRowSavepoint(tx.db)
  try {
    const contact = await upsertContactFromInput(tx, workspaceId, {
      input,
      source: 'dashboard',
      actor,
      now,
    })
    const call =
      campaignId === null
        ? null
        : await queueImportedCall(tx, workspaceId, contact.phoneNumber, {
            campaignId,
            contactId: contact.id,
            actor,
            now,
          })
    return { position, result: contact.created ? 'created' : 'updated', call, issues: [] }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    await rollBackRow(tx.db)
    if (error.code === 'campaign_archived') return 'campaign_archived'
    return { position, result: 'failed', call: null, issues: [{ column: '', message: error.message }] }
  }
}

async function queueImportedCall(
  tx: Pick<Deps, 'config' | 'db' | 'notify'>,
  workspaceId: number,
  phoneNumber: string,
  { actor, ...call }: { campaignId: number; contactId: number; actor: ImportActor; now: Date },
): Promise<'queued' | 'open' | 'do_not_call'> {
  if (await isOnDoNotCallList(tx.db, workspaceId, phoneNumber)) return 'do_not_call'
  const { queued } = await queueCall(tx, workspaceId, {
    ...call,
    scheduledAt: null,
    ifAlreadyQueued: 'skip',
    test: false,
    metadata: {},
    origin: actor,
  })
  return queued ? 'queued' : 'open'
}

import { nameCountry } from '../../core/countries.ts'
import { secondMs } from '../../core/durations.ts'
import { createJobThread, type JobThread } from '../../core/job-thread.ts'
import { countryOfNumber } from '../../core/phone.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { type CallRules, findCallRules, isCountryAllowed } from '../../rules/call-rules.ts'
import { recallConsent, recallMapping } from './column-memory.ts'
import { ImportColumns } from './import-columns.ts'
import {
  type CheckedRow,
  deleteImportRows,
  findImportFile,
  finishImportStep,
  type ImportJob,
  insertImportRows,
  releaseImport,
  renewImportLease,
  saveFoundColumns,
} from './import-store.ts'
import type { ImportReaderJob, ImportReaderResult } from './import-thread.ts'
import { markDenied } from './mark-denied.ts'
import { FileConsent } from './parse-consent.ts'
import { UnreadableFileError } from './parse-csv.ts'

type ImportDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>

const threadFile = new URL('./import-thread.ts', import.meta.url)
const maxHeapMegabytes = 256

/** For the columns, or for one batch of rows. Less than the import's lease. */
const readTimeoutMs = 10 * secondMs

/**
 * Finds the columns of an uploaded file. A person then says what they contain.
 *
 * @throws {UnreadableFileError}
 */
export async function findColumns(deps: ImportDeps, job: ImportJob): Promise<void> {
  const file = await findImportFile(deps.db, job)
  if (file === undefined || file.bytes === null) return
  const { bytes } = file
  const reader = createJobThread<ImportReaderJob, ImportReaderResult>(threadFile, maxHeapMegabytes)
  try {
    const { found } = await read(reader, { findColumns: bytes })
    if (found === undefined) return
    await inTransaction(deps, async (tx) => {
      if (!(await renewImportLease(tx.db, job))) return
      const remembered = found.hasHeader
        ? await recallMapping(tx.db, job.workspaceId, found.columns)
        : undefined
      const columns = remembered ?? found.columns
      const consent = await recallConsent(tx.db, job, columns)
      await saveFoundColumns(tx.db, job, { ...found, columns, consent, isRecalled: remembered !== undefined })
    })
  } finally {
    await reader.close()
  }
}

/**
 * Reads a file and records what importing each row would do. Nothing is imported yet. If the process ends meanwhile,
 * another one starts the check over.
 *
 * @throws {UnreadableFileError}
 */
export async function checkImport(deps: ImportDeps, job: ImportJob, signal: AbortSignal): Promise<void> {
  const file = await findImportFile(deps.db, job)
  if (file === undefined || file.bytes === null) return
  const { bytes, country, timeZone, hasHeader } = file
  const reader = createJobThread<ImportReaderJob, ImportReaderResult>(threadFile, maxHeapMegabytes)
  try {
    const columns = ImportColumns.parse(file.columns)
    const consent = FileConsent.parse(file.consent)
    const now = deps.clock.now()
    await read(reader, { open: { bytes, columns, hasHeader, country, timeZone, consent, now } })
    if (!(await startChecking(deps, job))) return
    const rules = await findCallRules(deps, job.workspaceId)
    const denied = new Map<string, number>()
    for (;;) {
      if (signal.aborted) {
        await releaseImport(deps.db, job)
        return
      }
      const { rows = [] } = await read(reader, 'next rows')
      if (rows.length === 0) break
      for (const { deniedNumber, position } of rows)
        if (deniedNumber !== null) denied.set(deniedNumber, position)
      const isWritten = await inTransaction(deps, async (tx) => {
        if (!(await renewImportLease(tx.db, job))) return false
        await insertImportRows(
          tx.db,
          job,
          rows.map((row) => noteCountry(rules, row)),
        )
        return true
      })
      if (!isWritten) return
    }
    await inTransaction(deps, async (tx) => {
      if (!(await renewImportLease(tx.db, job))) return
      await markDenied(tx.db, job, denied, columns)
      await finishImportStep(tx.db, job, { status: 'checked', at: tx.clock.now() })
    })
  } finally {
    await reader.close()
  }
}

/** Notes in a row that its contact isn't called because of the number's country. */
function noteCountry(rules: CallRules, row: CheckedRow): CheckedRow {
  const { phone_number: phoneNumber, isDuplicate, issues } = row
  if (phoneNumber === null || isDuplicate || isCountryAllowed(rules, phoneNumber)) return row
  const country = countryOfNumber(phoneNumber)
  const where = country === undefined ? 'this kind of number' : nameCountry(country)
  const message = `The workspace doesn't call ${where}. The contact is saved, but not called.`
  return { ...row, issues: [...issues, { column: '', message, kind: 'country' }] }
}

/** @throws {UnreadableFileError} */
async function read(
  reader: JobThread<ImportReaderJob, ImportReaderResult>,
  job: ImportReaderJob,
): Promise<ImportReaderResult> {
  let result: ImportReaderResult = {}
  const outcome = await reader.run(job, readTimeoutMs, (sent) => (result = sent))
  if (outcome === 'timed out')
    throw new UnreadableFileError('This file takes too long to read. Split it into smaller files.')
  if (result.error !== undefined) throw new UnreadableFileError(result.error)
  return result
}

const startChecking = (deps: ImportDeps, job: ImportJob): Promise<boolean> =>
  inTransaction(deps, async (tx) => {
    if (!(await renewImportLease(tx.db, job))) return false
    await deleteImportRows(tx.db, job)
    return true
  })

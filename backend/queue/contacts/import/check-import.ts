import { endedReasonTexts } from '@outdial/contract'
import type { Deps } from '../../../deps.ts'
import { nameCountry } from '../../../platform/core/countries.ts'
import { secondMs } from '../../../platform/core/durations.ts'
import { createJobThread, type JobThread } from '../../../platform/core/job-thread.ts'
import { countryOfNumber } from '../../../platform/core/phone.ts'
import type { NumberUse } from '../../../platform/db/call-rules.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { type CallRules, findCallRules, isCountryAllowed } from '../../rules/call-rules.ts'
import { findFree, maxWaitMs } from '../../rules/plan-call.ts'
import { findNumberUses } from '../contact-store.ts'
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
import type { RowIssue } from './row-issue.ts'

type ImportDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>

const threadFile = new URL('./import-thread.ts', import.meta.url)
const maxHeapMegabytes = 256

/** The maximum time for reading the columns, or one batch of rows. It's shorter than the import's lease. */
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
        await insertImportRows(tx.db, job, await noteRules(tx, job, rules, rows))
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

/** Adds an issue to each row whose contact the rules won't let any campaign call. */
async function noteRules(
  { db, clock }: ImportDeps,
  { workspaceId }: ImportJob,
  rules: CallRules | null,
  rows: readonly CheckedRow[],
): Promise<readonly CheckedRow[]> {
  if (rules === null) return rows
  const numbers = rows.flatMap(({ phone_number: phoneNumber }) => phoneNumber ?? [])
  const uses =
    rules.maxAttemptsPer30Days === null ? undefined : await findNumberUses(db, workspaceId, numbers)
  const now = clock.now()
  return rows.map((row) => {
    const { phone_number: phoneNumber, isDuplicate, issues } = row
    if (phoneNumber === null || isDuplicate) return row
    const issue = isCountryAllowed(rules, phoneNumber)
      ? noteFrequency(rules, uses?.get(phoneNumber) ?? null, now)
      : noteCountry(phoneNumber)
    return issue === undefined ? row : { ...row, issues: [...issues, issue] }
  })
}

function noteCountry(phoneNumber: string): RowIssue {
  const country = countryOfNumber(phoneNumber)
  const where = country === undefined ? 'this kind of number' : nameCountry(country)
  const message = `The workspace doesn't call ${where}. The contact is saved, but not called.`
  return { column: '', message, kind: 'country' }
}

function noteFrequency(rules: CallRules, use: NumberUse | null, now: Date): RowIssue | undefined {
  const free = findFree(rules, { oneConversationPerDay: false }, use, now)
  if (free.getTime() <= now.getTime() + maxWaitMs) return undefined
  const message = `${endedReasonTexts.frequency.meaning} The contact is saved, but not called.`
  return { column: '', message, kind: 'frequency' }
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

import { inTransaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { type ImportColumn, recognizeColumns } from './import-columns.ts'
import {
  type CheckedRow,
  findImportFile,
  finishImportStep,
  type ImportJob,
  insertImportRows,
  releaseImport,
  renewImportLease,
  restartCheck,
} from './import-store.ts'
import { maxRows, parseCsv, UnreadableFileError } from './parse-csv.ts'
import { parseRow } from './parse-row.ts'

type ImportDeps = Pick<Deps, 'db' | 'clock' | 'notify'>

/** Rows per write. Between two batches, the process can do other work. */
const batchSize = 200

/**
 * Reads a file and records what importing each row would do. Nothing is imported yet. If the process ends meanwhile,
 * another one starts the check over.
 *
 * @throws {UnreadableFileError}
 */
export async function checkImport(deps: ImportDeps, job: ImportJob, signal: AbortSignal): Promise<void> {
  const file = await findImportFile(deps.db, job)
  if (file === undefined || file.bytes === null) return
  const positionByNumber = new Map<string, number>()
  let columns: ImportColumn[] | undefined
  let position = 0
  let rows: CheckedRow[] = []

  const writeRows = (): Promise<boolean> =>
    inTransaction(deps, async (tx) => {
      if (!(await renewImportLease(tx.db, job))) return false
      await insertImportRows(tx.db, job, rows)
      rows = []
      return true
    })

  for await (const cells of parseCsv(file.bytes)) {
    position += 1
    if (columns === undefined) {
      columns = requireColumns(cells)
      if (!(await startChecking(deps, job, columns))) return
      continue
    }
    if (cells.every((cell) => cell.trim() === '')) continue
    if (positionByNumber.size + rows.length > maxRows || position > 2 * maxRows) throw tooManyRowsError()
    rows.push(checkRow(columns, cells, position, file, positionByNumber))
    if (rows.length < batchSize) continue
    if (signal.aborted) return releaseImport(deps.db, job)
    if (!(await writeRows())) return
  }
  if (columns === undefined) throw new UnreadableFileError('The file is empty. Choose another file.')
  if (rows.length > 0 && !(await writeRows())) return
  await finishImportStep(deps.db, job, { status: 'checked', at: deps.clock.now() })
}

const startChecking = (deps: ImportDeps, job: ImportJob, columns: ImportColumn[]): Promise<boolean> =>
  inTransaction(deps, async (tx) => {
    if (!(await renewImportLease(tx.db, job))) return false
    await restartCheck(tx.db, job, columns)
    return true
  })

/** Twice as many as a contact can have variables. Every cell costs time, and a file of 20 MB can contain millions. */
const maxColumns = 200

function requireColumns(headers: readonly string[]): ImportColumn[] {
  if (headers.length > maxColumns) {
    throw new UnreadableFileError(
      `The file has ${headers.length.toLocaleString('en-US')} columns, but it can have at most ${maxColumns}. Remove some.`,
    )
  }
  const columns = recognizeColumns(headers)
  if (columns.some(({ field }) => field === 'phone_number')) return columns
  const namedHeaders = columns.map(({ header }) => header).filter(Boolean)
  const headerList = namedHeaders.slice(0, 8).join(', ').slice(0, 300)
  throw new UnreadableFileError(
    `The file has no phone number column. The first row contains: ${headerList || 'nothing'}. Name a column “Phone number” in the first row, then upload the file again.`,
  )
}

const tooManyRowsError = () =>
  new UnreadableFileError(
    `The file has more than ${maxRows.toLocaleString('en-US')} rows. Split it into smaller files.`,
  )

function checkRow(
  columns: readonly ImportColumn[],
  cells: readonly string[],
  position: number,
  workspace: { country: string; timeZone: string },
  positionByNumber: Map<string, number>,
): CheckedRow {
  const parsed = parseRow(columns, cells, workspace)
  if ('issues' in parsed) {
    return { position, phone_number: null, fields: {}, isDuplicate: false, issues: parsed.issues }
  }
  const { phoneNumber, fields } = parsed
  const firstPosition = positionByNumber.get(phoneNumber)
  if (firstPosition === undefined) positionByNumber.set(phoneNumber, position)
  const column = columns.find(({ field }) => field === 'phone_number')?.header ?? ''
  return {
    position,
    phone_number: phoneNumber,
    fields,
    isDuplicate: firstPosition !== undefined,
    issues:
      firstPosition === undefined
        ? []
        : [{ column, message: `Duplicate of row ${firstPosition}. This row is skipped.` }],
  }
}

import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type ImportColumn, recogniseColumns } from './import-columns.ts'
import { mostRows, readCsv, UnreadableFile } from './parse-csv.ts'
import { readRow } from './parse-row.ts'
import {
  type CheckedRow,
  endStep,
  findFile,
  holdJob,
  type ImportJob,
  insertRows,
  releaseJob,
  startCheck,
} from './import-store.ts'

/** Rows that are written at once: the other work of the process goes on between. */
const batch = 200

/**
 * Reads a file and writes down what each row would do. Nothing is imported. Where the process ends meanwhile, it is
 * begun anew.
 *
 * @throws {UnreadableFile}
 */
export async function checkImport(deps: Deps, job: ImportJob, stop: AbortSignal): Promise<void> {
  const file = await findFile(deps.db, job)
  if (file === undefined || file.bytes === null) return
  const seen = new Map<string, number>()
  let columns: ImportColumn[] | undefined
  let position = 0
  let rows: CheckedRow[] = []

  const write = (): Promise<boolean> =>
    inTransaction(deps, async ({ db }) => {
      if (!(await holdJob(db, job))) return false
      await insertRows(db, job, rows)
      rows = []
      return true
    })

  for await (const cells of readCsv(file.bytes)) {
    position += 1
    if (columns === undefined) {
      columns = requireColumns(cells)
      if (!(await begin(deps, job, columns))) return
      continue
    }
    if (cells.every((cell) => cell.trim() === '')) continue
    if (seen.size + rows.length > mostRows || position > 2 * mostRows) throw tooMany()
    rows.push(checkRow(columns, cells, position, file, seen))
    if (rows.length < batch) continue
    if (stop.aborted) return releaseJob(deps.db, job)
    if (!(await write())) return
  }
  if (columns === undefined) throw new UnreadableFile('The file is empty.')
  if (rows.length > 0 && !(await write())) return
  await endStep(deps.db, job, { status: 'checked', at: deps.clock.now() })
}

const begin = (deps: Deps, job: ImportJob, columns: ImportColumn[]): Promise<boolean> =>
  inTransaction(deps, async ({ db }) => {
    if (!(await holdJob(db, job))) return false
    await startCheck(db, job, columns)
    return true
  })

function requireColumns(headers: readonly string[]): ImportColumn[] {
  const columns = recogniseColumns(headers)
  if (columns.some(({ field }) => field === 'phone_number')) return columns
  const named = columns.map(({ header }) => header).filter(Boolean)
  const told = named.slice(0, 8).join(', ').slice(0, 300)
  throw new UnreadableFile(
    `No column holds phone numbers: call one “Phone number” in the first row. The first row reads: ${told || 'nothing'}.`,
  )
}

const tooMany = () =>
  new UnreadableFile(`The file has more than ${mostRows.toLocaleString('en-US')} rows: split it.`)

function checkRow(
  columns: readonly ImportColumn[],
  cells: readonly string[],
  position: number,
  workspace: { country: string; timeZone: string },
  seen: Map<string, number>,
): CheckedRow {
  const read = readRow(columns, cells, workspace)
  if ('problems' in read) {
    return { position, phone_number: null, fields: {}, isDuplicate: false, problems: read.problems }
  }
  const { phoneNumber, fields } = read
  const first = seen.get(phoneNumber)
  if (first === undefined) seen.set(phoneNumber, position)
  const column = columns.find(({ field }) => field === 'phone_number')?.header ?? ''
  return {
    position,
    phone_number: phoneNumber,
    fields,
    isDuplicate: first !== undefined,
    problems:
      first === undefined
        ? []
        : [{ column, message: `The number stands in row ${first} already: this row is left out.` }],
  }
}

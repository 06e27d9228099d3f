import { fallbackEncoding, replacementCharacter } from '../../core/decode-text.ts'
import { findConflictingColumns, type ImportColumn, recognizeColumns } from './import-columns.ts'
import type { CheckedRow } from './import-store.ts'
import { maxRows, parseCsv, UnreadableFileError } from './parse-csv.ts'
import { type ImportContext, parseRow, type RowIssue } from './parse-row.ts'

/** An uploaded file, and how to parse numbers and dates in it. */
export interface ImportFile extends ImportContext {
  bytes: Uint8Array
}

/**
 * Reads a file: first its columns, then what importing each row would do. It runs in a thread, because reading a row with
 * 200 columns takes milliseconds.
 *
 * @throws {UnreadableFileError}
 */
export async function* readImportFile(file: ImportFile): AsyncGenerator<ImportColumn[] | CheckedRow> {
  const seen: SeenNumbers = { positions: new Map(), listed: new Set() }
  let columns: ImportColumn[] | undefined
  let position = 0
  let rowCount = 0
  const { encoding, records } = parseCsv(Buffer.from(file.bytes))
  let isEncodingGuessed = encoding === fallbackEncoding
  for await (const cells of records) {
    position += 1
    if (columns === undefined) {
      columns = requireColumns(cells)
      yield columns
      continue
    }
    if (cells.every((cell) => cell.trim() === '')) continue
    rowCount += 1
    if (rowCount > maxRows || position > 2 * maxRows) throw tooManyRowsError()
    const row = checkRow(columns, cells, position, file, seen)
    row.issues.push(...findBadCharacters(columns, cells))
    const encodingNotice = isEncodingGuessed ? findEncodingNotice(columns, cells) : undefined
    if (encodingNotice !== undefined) {
      row.issues.push(encodingNotice)
      // One row shows whether the guess is right.
      isEncodingGuessed = false
    }
    yield row
  }
  if (columns === undefined) throw new UnreadableFileError('The file is empty. Choose another file.')
}

/** Twice as many as a contact can have variables. Every cell costs time, and a file of 20 MB can contain millions. */
const maxColumns = 200

function requireColumns(headers: readonly string[]): ImportColumn[] {
  if (headers.length > maxColumns) {
    throw new UnreadableFileError(
      `The file has ${headers.length.toLocaleString('en-US')} columns, but it can have at most ${maxColumns}. Remove some.`,
    )
  }
  const columns = recognizeColumns(headers)
  const conflict = findConflictingColumns(columns)
  if (conflict !== undefined) {
    const [first, second] = conflict
    throw new UnreadableFileError(
      `The columns “${first.slice(0, 100)}” and “${second.slice(0, 100)}” both seem to contain the consent. Remove or rename one, then upload the file again.`,
    )
  }
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

function findBadCharacters(columns: readonly ImportColumn[], cells: readonly string[]): RowIssue[] {
  const index = cells.findIndex((cell) => cell.includes(replacementCharacter))
  if (index === -1) return []
  const message = `A character in this cell can't be read, so “${replacementCharacter}” is saved in its place. To save the right one, correct the cell, then upload the file again.`
  return [{ column: columns[index]?.header ?? '', message }]
}

function findEncodingNotice(
  columns: readonly ImportColumn[],
  cells: readonly string[],
): RowIssue | undefined {
  const headers = columns.map(({ header }) => header)
  const sample = [...headers, ...cells].find((cell) => /\P{ASCII}/u.test(cell))
  if (sample === undefined) return undefined
  const message = `The file isn't in UTF-8, so it was read as Windows-1252. Check that this text is right: “${sample.trim().slice(0, 50)}”. If it isn't, save the file as CSV (UTF-8), then upload it again.`
  return { column: '', message }
}

/** The numbers that were read. The second row of a number is skipped, unless it adds one to the do-not-call list. */
interface SeenNumbers {
  /** The last row of each number that isn't skipped. */
  positions: Map<string, number>
  /** The numbers of people who must not be called. */
  listed: Set<string>
}

function checkRow(
  columns: readonly ImportColumn[],
  cells: readonly string[],
  position: number,
  context: ImportContext,
  seen: SeenNumbers,
): CheckedRow {
  const parsed = parseRow(columns, cells, context)
  if ('issues' in parsed) {
    return { position, phone_number: null, fields: {}, isDuplicate: false, issues: parsed.issues }
  }
  const { phoneNumber, fields } = parsed
  const { positions, listed } = seen
  const numbersToList = fields.do_not_call === true ? [phoneNumber, ...fields.other_numbers] : []
  const first = positions.get(phoneNumber)
  const isDuplicate = first !== undefined && numbersToList.every((number) => listed.has(number))
  if (!isDuplicate) positions.set(phoneNumber, position)
  numbersToList.forEach((number) => listed.add(number))
  const column = columns.find(({ field }) => field === 'phone_number')?.header ?? ''
  return {
    position,
    phone_number: phoneNumber,
    fields,
    isDuplicate,
    issues: isDuplicate ? [{ column, message: `Duplicate of row ${first}. This row is skipped.` }] : [],
  }
}

import { fallbackEncoding, replacementCharacter } from '../../../platform/core/decode-text.ts'
import { cutText } from '../../../platform/core/text.ts'
import type { ImportColumn } from './import-columns.ts'
import type { CheckedRow } from './import-store.ts'
import { maxRows, parseCsv, UnreadableFileError } from './parse-csv.ts'
import { type ImportContext, parseRow } from './parse-row.ts'
import { limitIssues, type RowIssue } from './row-issue.ts'

/** An uploaded file, its columns, and how to parse the values in it. */
export interface ImportFile extends ImportContext {
  bytes: Uint8Array
  columns: readonly ImportColumn[]
  hasHeader: boolean
}

/**
 * Reads what importing each row of a file would do. It runs in a thread, because reading a row with 200 columns takes
 * milliseconds.
 *
 * @throws {UnreadableFileError}
 */
export async function* readImportFile(file: ImportFile): AsyncGenerator<CheckedRow> {
  const { columns } = file
  const seen: SeenNumbers = { positions: new Map(), listed: new Set() }
  let position = 0
  let rowCount = 0
  const { encoding, records } = parseCsv(Buffer.from(file.bytes))
  let isEncodingGuessed = encoding === fallbackEncoding
  for await (const cells of records) {
    position += 1
    if (file.hasHeader && position === 1) continue
    if (cells.every((cell) => cell.trim() === '')) continue
    rowCount += 1
    if (rowCount > maxRows || position > 2 * maxRows) throw tooManyRowsError()
    const row = checkRow(columns, cells, position, file, seen)
    row.issues.push(...findBadCharacters(columns, cells))
    const encodingNotice = isEncodingGuessed ? findEncodingNotice(columns, cells) : undefined
    if (encodingNotice !== undefined) {
      row.issues.push(encodingNotice)
      // A notice in one row is enough for the user to check the guess.
      isEncodingGuessed = false
    }
    yield { ...row, issues: limitIssues(row.issues) }
  }
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
  const message = `The file isn't in UTF-8, so it was read as Windows-1252. Check that this text is right: “${cutText(sample.trim(), 50)}”. If it isn't, save the file as CSV (UTF-8), then upload it again.`
  return { column: '', message, kind: 'file' }
}

/**
 * The numbers of the rows that were read. A row that repeats a number is skipped, unless it adds a number to the do-not-call
 * list.
 */
interface SeenNumbers {
  /** Maps each number to the position of its last row that isn't skipped. */
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
    const { issues, deniedNumber = null } = parsed
    const row = {
      position,
      phone_number: null,
      fields: {},
      isDuplicate: false,
      isRepeated: false,
      deniedNumber,
    }
    return { ...row, issues, cells: [...cells] }
  }
  const { phoneNumber, fields, notices } = parsed
  const { positions, listed } = seen
  const numbersToList = fields.do_not_call === true ? [phoneNumber, ...fields.other_numbers] : []
  const first = positions.get(phoneNumber)
  const isDuplicate = first !== undefined && numbersToList.every((number) => listed.has(number))
  if (!isDuplicate) positions.set(phoneNumber, position)
  numbersToList.forEach((number) => listed.add(number))
  const column = columns.find(({ field, rank }) => field === 'phone_number' && rank <= 1)?.header ?? ''
  if (!isDuplicate) {
    const row = { position, phone_number: phoneNumber, fields, isDuplicate, deniedNumber: null }
    return { ...row, isRepeated: first !== undefined, issues: [...notices], cells: null }
  }
  const isDenied = fields.consent_denied === true
  const skipped = isDenied
    ? "This row is skipped, but its No counts: the contact isn't called."
    : 'This row is skipped.'
  const duplicate = { column, message: `Duplicate of row ${first}. ${skipped}` }
  return {
    position,
    phone_number: phoneNumber,
    fields,
    isDuplicate,
    isRepeated: false,
    deniedNumber: isDenied ? phoneNumber : null,
    // The contact is saved from its first row. `markDenied` adds the notice about consent to that row instead.
    issues: [duplicate, ...notices.filter(({ kind }) => kind !== 'no_consent')],
    cells: null,
  }
}

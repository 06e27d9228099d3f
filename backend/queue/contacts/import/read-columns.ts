import { cleanCell } from '../../../platform/core/csv.ts'
import { cutText } from '../../../platform/core/text.ts'
import { guessByValues, guessColumns, looksLikeContact } from './guess-columns.ts'
import type { ImportColumn } from './import-columns.ts'
import { parseCsv, UnreadableFileError } from './parse-csv.ts'

/** The columns of a file as they were guessed, before a member has confirmed them. */
export interface FoundColumns {
  columns: ImportColumn[]
  /** The first values of each column. */
  samples: string[][]
  /** False if the first row is a contact. */
  hasHeader: boolean
}

/**
 * The maximum number of columns, twice the number of variables that a contact can have. Every cell costs time, and a file of 20
 * MB can contain millions.
 */
export const maxColumns = 200

const samplesPerColumn = 3

/** The maximum number of rows to search for samples. A column that's blank in all of them has no samples. */
const maxSampleRows = 200

const maxSampleLength = 80
const maxHeaderLength = 500

/**
 * Reads the first rows of a file, and guesses what its columns contain.
 *
 * @throws {UnreadableFileError}
 */
export async function readColumns(bytes: Uint8Array): Promise<FoundColumns> {
  let first: string[] | undefined
  let hasHeader = false
  let samples: string[][] = []
  let rowCount = 0
  let isBlank = true
  for await (const cells of parseCsv(Buffer.from(bytes)).records) {
    if (first === undefined) {
      first = cells.map(cleanCell)
      checkColumnCount(first)
      hasHeader = !looksLikeContact(first)
      samples = first.map(() => [])
      if (hasHeader) continue
    }
    samples.forEach((values, index) => {
      const cell = cleanCell(cells[index] ?? '')
      if (cell !== '' && values.length < samplesPerColumn) values.push(shorten(cell, maxSampleLength))
    })
    isBlank &&= cells.every((cell) => cell.trim() === '')
    rowCount += 1
    const isFull = samples.every((values) => values.length === samplesPerColumn)
    if (isFull || rowCount === maxSampleRows) break
  }
  if (first === undefined) throw new UnreadableFileError('The file is empty. Choose another file.')
  if (isBlank && rowCount < maxSampleRows)
    throw new UnreadableFileError(
      'The file has no rows. Add a row for each person below the column names, then upload the file again.',
    )
  const columns = hasHeader
    ? guessColumns(
        first.map((header) => cutText(header, maxHeaderLength)),
        samples,
      )
    : guessByValues(samples)
  return { columns, samples, hasHeader }
}

function checkColumnCount({ length }: readonly string[]): void {
  if (length <= maxColumns) return
  throw new UnreadableFileError(
    `The file has ${length.toLocaleString('en-US')} columns, but it can have at most ${maxColumns}. Remove some.`,
  )
}

const shorten = (text: string, length: number): string =>
  text.length > length ? `${cutText(text, length)}…` : text

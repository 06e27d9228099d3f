import { guessColumns, looksLikeContact } from './guess-columns.ts'
import type { ImportColumn } from './import-columns.ts'
import { parseCsv, UnreadableFileError } from './parse-csv.ts'

/** What a file contains, before a person has confirmed it. */
export interface FoundColumns {
  columns: ImportColumn[]
  /** The first values of each column. */
  samples: string[][]
  /** False if the first row is a contact. */
  hasHeader: boolean
}

/** Twice as many as a contact can have variables. Every cell costs time, and a file of 20 MB can contain millions. */
const maxColumns = 200

const samplesPerColumn = 3

/** Where a column is blank in all of these rows, no values are shown. */
const maxSampleRows = 200

const maxSampleLength = 80
const maxHeaderLength = 500

/**
 * Reads the first rows of a file, and guesses what its columns contain.
 *
 * @throws {UnreadableFileError}
 */
export async function readColumns(bytes: Uint8Array): Promise<FoundColumns> {
  let found: FoundColumns | undefined
  let rowCount = 0
  for await (const cells of parseCsv(Buffer.from(bytes)).records) {
    if (found === undefined) {
      found = startColumns(cells)
      if (found.hasHeader) continue
    }
    found.samples.forEach((values, index) => {
      const cell = cells[index]?.trim() ?? ''
      if (cell !== '' && values.length < samplesPerColumn) values.push(shorten(cell, maxSampleLength))
    })
    rowCount += 1
    const isFull = found.samples.every((values) => values.length === samplesPerColumn)
    if (isFull || rowCount === maxSampleRows) break
  }
  if (found === undefined) throw new UnreadableFileError('The file is empty. Choose another file.')
  return found
}

function startColumns(first: readonly string[]): FoundColumns {
  if (first.length > maxColumns) {
    throw new UnreadableFileError(
      `The file has ${first.length.toLocaleString('en-US')} columns, but it can have at most ${maxColumns}. Remove some.`,
    )
  }
  const hasHeader = !looksLikeContact(first)
  const headers = first.map((header, index) =>
    hasHeader ? header.slice(0, maxHeaderLength) : `Column ${index + 1}`,
  )
  return { columns: guessColumns(headers), samples: headers.map(() => []), hasHeader }
}

const shorten = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text

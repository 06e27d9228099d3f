import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { decodeFile, NotTextError } from '../../../platform/core/decode-text.ts'

/** The error for a file that can't be imported. Its message is for the user who uploaded the file. */
export class UnreadableFileError extends Error {
  override name = 'UnreadableFileError'
}

/** The maximum number of rows in a file, without its header. */
export const maxRows = 100_000

const chunkSize = 64 * 1024

/**
 * Parses a file record by record, the header first. It may be in UTF-8, UTF-16, or Windows-1252; cells can be
 * separated by commas, semicolons, tabs, or pipes, or by what Excel's line `sep=` names.
 *
 * @throws {UnreadableFileError}
 */
export function parseCsv(bytes: Buffer): { encoding: string; records: AsyncGenerator<string[]> } {
  const { text, encoding } = toUtf8(bytes)
  return { encoding, records: parseRecords(text) }
}

async function* parseRecords(text: Buffer): AsyncGenerator<string[]> {
  const start = text.toString('utf8', 0, chunkSize)
  const [separatorLine = '', separator] = separatorPattern.exec(start) ?? []
  const parser = Readable.from(splitIntoChunks(text.subarray(Buffer.byteLength(separatorLine))), {
    objectMode: false,
  }).pipe(
    parse({
      bom: true,
      delimiter: separator ?? detectDelimiter(start),
      // A file that several programs have written can have different line endings.
      record_delimiter: ['\r\n', '\n', '\r'],
      // A quotation mark after a space begins a quoted cell.
      ltrim: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: false,
      max_record_size: 512 * 1024,
    }),
  )
  try {
    for await (const record of parser) yield record as string[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const position = typeof error.lines === 'number' ? ` near line ${error.lines}` : ''
    throw new UnreadableFileError(
      `The file can't be read${position}. Check for a missing or misplaced quotation mark.`,
      { cause: error },
    )
  }
}

/** The line with which programs tell Excel what separates the cells. Excel doesn't show it, and doesn't count it as a row. */
const separatorPattern = /^\uFEFF*"?sep=([^\w\s"]|\t)"?(?:\r\n|\n|\r)/i

/**
 * Converts the file to UTF-8. Doesn't decode a file that's already in UTF-8, because decoding 20 MB would block the process.
 */
function toUtf8(bytes: Buffer): { text: Buffer; encoding: string } {
  if (isUtf8(bytes) && !bytes.includes(0)) return { text: bytes, encoding: 'utf-8' }
  try {
    const { text, encoding } = decodeFile(bytes)
    return { text: Buffer.from(text), encoding }
  } catch (error) {
    if (!(error instanceof NotTextError)) throw error
    throw new UnreadableFileError(
      "This isn't a CSV file. Save your spreadsheet as CSV (UTF-8), then upload that file.",
    )
  }
}

function* splitIntoChunks(bytes: Buffer): Generator<Buffer> {
  for (let offset = 0; offset < bytes.length; offset += chunkSize)
    yield bytes.subarray(offset, offset + chunkSize)
}

/** The number of rows to look at to detect the delimiter. */
const sampleRows = 20

/**
 * Chooses the delimiter that splits the first rows into the most cells. Ignores quoted text, and rows that get more or fewer
 * cells than the header. Counts cells, not rows, so that commas win against one vertical bar in each row, even if some rows are
 * short. If there's a tie, the delimiter that splits the header into the most cells wins.
 */
function detectDelimiter(text: string): string {
  const lines = text.replace(/"[^"]*"/g, '').split(/\r\n|\r|\n/, sampleRows + 1)
  const [header = '', ...rows] = lines.filter((line) => line.trim() !== '')
  const count = (line: string, delimiter: string) => line.split(delimiter).length
  const candidates = [',', ';', '\t', '|'].map((delimiter) => {
    const cells = count(header, delimiter)
    const matching = rows.filter((row) => count(row, delimiter) === cells).length
    return { delimiter, cells, matchingCells: matching * (cells - 1) }
  })
  return candidates.reduce((best, next) => {
    const difference = next.matchingCells - best.matchingCells
    return difference > 0 || (difference === 0 && next.cells > best.cells) ? next : best
  }).delimiter
}

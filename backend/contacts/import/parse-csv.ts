import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { decodeText, NotTextError } from '../../core/decode-text.ts'

/** The file can't be imported. The message is for the user who uploaded it. */
export class UnreadableFileError extends Error {
  override name = 'UnreadableFileError'
}

/** The maximum number of rows in a file, without its header. */
export const maxRows = 100_000

const chunkSize = 64 * 1024

/**
 * Parses a file record by record, the header first. It may be in UTF-8, UTF-16, or Windows-1252; cells can be
 * separated by commas, semicolons, tabs, or pipes.
 *
 * @throws {UnreadableFileError}
 */
export async function* parseCsv(bytes: Buffer): AsyncGenerator<string[]> {
  const text = toUtf8(bytes)
  const parser = Readable.from(splitIntoChunks(text), { objectMode: false }).pipe(
    parse({
      bom: true,
      delimiter: detectDelimiter(text.toString('utf8', 0, chunkSize)),
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

/** Converts the file to UTF-8. Most files already are, and decoding 20 MB would block the process. */
function toUtf8(bytes: Buffer): Buffer {
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes
  try {
    return Buffer.from(decodeText(bytes))
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

/** Finds the delimiter that splits the first line into the most cells, ignoring quoted text. */
function detectDelimiter(text: string): string {
  const [firstLine = ''] = text
    .slice(0, chunkSize)
    .replace(/"[^"]*"/g, '')
    .split(/\r\n|\r|\n/, 1)
  const count = (delimiter: string) => firstLine.split(delimiter).length
  return [',', ';', '\t', '|'].reduce((best, delimiter) =>
    count(delimiter) > count(best) ? delimiter : best,
  )
}

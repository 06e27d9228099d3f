import { decodeText } from '../../core/decode-text.ts'
import { readDocx } from './read-docx.ts'
import { FileError } from './parse-result.ts'
import { readHtml } from './read-html.ts'
import type { FileKind } from './file-kind.ts'
import { parseLimits } from './parse-limits.ts'
import { readPdf } from './read-pdf.ts'
import { normalizeText } from './tidy.ts'

/**
 * The plain text of a file. It may take any memory and time: run where both are bounded.
 *
 * @throws {FileError}
 */
export async function extractText(kind: FileKind, bytes: Uint8Array): Promise<string> {
  const text = normalizeText(await readers[kind](bytes))
  if (text === '') throw new FileError('no_text')
  if (text.length > parseLimits.maxTextLength) throw new FileError('too_long')
  return text
}

const readers: Record<FileKind, (bytes: Uint8Array) => string | Promise<string>> = {
  text: (bytes) => decodeText(bytes),
  html: readHtml,
  pdf: readPdf,
  docx: readDocx,
}

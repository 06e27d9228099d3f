import { decode } from '../../core/decode-text.ts'
import { readDocx } from './read-docx.ts'
import { Fault } from './parse-result.ts'
import { readHtml } from './read-html.ts'
import type { Kind } from './file-kind.ts'
import { limits } from './parse-limits.ts'
import { readPdf } from './read-pdf.ts'
import { tidy } from './tidy.ts'

/**
 * The plain text of a file. It may take any memory and time: run where both are bounded.
 *
 * @throws {Fault}
 */
export async function extract(kind: Kind, bytes: Uint8Array): Promise<string> {
  const text = tidy(await readers[kind](bytes))
  if (text === '') throw new Fault('no_text')
  if (text.length > limits.text) throw new Fault('too_long')
  return text
}

const readers: Record<Kind, (bytes: Uint8Array) => string | Promise<string>> = {
  text: (bytes) => decode(bytes),
  html: readHtml,
  pdf: readPdf,
  docx: readDocx,
}

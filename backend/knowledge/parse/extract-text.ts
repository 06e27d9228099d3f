import { decodeText, NotTextError } from '../../core/decode-text.ts'
import { FileError } from './file-error.ts'
import type { FileKind } from './file-kind.ts'
import { parseLimits } from './parse-limits.ts'

/**
 * Returns the plain text of a file. A hostile file makes it use any amount of memory and time: call it only
 * in a process that limits both.
 *
 * @throws {FileError}
 */
export async function extractText(kind: FileKind, bytes: Uint8Array): Promise<string> {
  const text = normalizeText(await readBytes(kind, bytes))
  if (text === '') throw new FileError('no_text')
  if (text.length > parseLimits.maxTextLength) throw new FileError('too_long')
  return text
}

async function readBytes(kind: FileKind, bytes: Uint8Array): Promise<string> {
  try {
    return await readers[kind](bytes)
  } catch (error) {
    if (error instanceof NotTextError) throw new FileError('no_plain_text')
    throw error
  }
}

/** A process reads one file: it loads the one library that it needs. */
const readers: Record<FileKind, (bytes: Uint8Array) => string | Promise<string>> = {
  text: (bytes) => decodeText(bytes),
  html: async (bytes) => (await import('./read-html.ts')).readHtml(bytes),
  pdf: async (bytes) => (await import('./read-pdf.ts')).readPdf(bytes),
  docx: async (bytes) => (await import('./read-docx.ts')).readDocx(bytes),
}

/**
 * A text as documents keep it: no signs that are none, no blanks at the ends of lines, one blank line at a
 * time.
 */
const normalizeText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|\u2028/g, '\n')
    .replace(/\f|\v|\u2029/g, '\n\n')
    .replace(/[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u00AD\uFEFF]/g, '')
    // Every run of blanks matches: one that looks for the line's end behind it would take the square of its length.
    .replace(/[^\S\n]+\n?/g, (run) => (run.endsWith('\n') ? '\n' : run))
    .replace(/\n{3,}/g, '\n\n')
    .trim()

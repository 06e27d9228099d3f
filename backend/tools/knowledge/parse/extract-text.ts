import { decodeText, NotTextError } from '../../../platform/core/decode-text.ts'
import { FileError } from './file-error.ts'
import type { FileKind } from './file-kind.ts'
import { parseLimits } from './parse-limits.ts'

/**
 * Returns the plain text of a file. Call it only in a process that limits memory and time, because a hostile file can use any
 * amount of both. A small plain text file can be read in any process.
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

/** Libraries are loaded on demand, because a process reads only one file. */
const readers: Record<FileKind, (bytes: Uint8Array) => string | Promise<string>> = {
  text: (bytes) => decodeText(bytes),
  html: async (bytes) => (await import('./read-html.ts')).readHtml(bytes),
  pdf: async (bytes) => (await import('./read-pdf.ts')).readPdf(bytes),
  docx: async (bytes) => (await import('./read-docx.ts')).readDocx(bytes),
}

/**
 * Normalizes text for a document: removes invisible characters and trailing whitespace, and merges consecutive blank
 * lines.
 */
const normalizeText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|\u2028/g, '\n')
    .replace(/\f|\v|\u2029/g, '\n\n')
    .replace(/[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u00AD\uFEFF]/g, '')
    // Matches every run of blanks. A pattern that requires a line end after the run would take quadratic time.
    .replace(/[^\S\n]+\n?/g, (run) => (run.endsWith('\n') ? '\n' : run))
    .replace(/\n{3,}/g, '\n\n')
    .trim()

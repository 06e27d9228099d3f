import { createFairQueue } from '../../../platform/core/fair-queue.ts'
import { invalidField } from '../../../platform/core/form-errors.ts'
import { cutText } from '../../../platform/core/text.ts'
import { extractText } from './extract-text.ts'
import { FileError } from './file-error.ts'
import { detectFileKind } from './file-kind.ts'
import { parseLimits } from './parse-limits.ts'
import { runParser } from './run-parser.ts'

interface UploadedFile {
  name: string
  bytes: Uint8Array
  /** True if the file is larger than `bytes`. */
  isTooLarge: boolean
}

/** Each reader can take half a gigabyte, so the number of readers is limited for all workspaces together. */
const enqueue = createFairQueue(parseLimits.queue)

/**
 * Reads the plain text of a .txt, .md, .html, .pdf, or .docx file, in a process with limited memory and time. Reads a small
 * plain text file directly.
 *
 * @throws {ApiError} validation_failed, with a detail for the field `file`
 */
export async function readFile(
  workspaceId: number,
  { name, bytes, isTooLarge }: UploadedFile,
): Promise<{ title: string; text: string }> {
  try {
    if (isTooLarge || bytes.length > parseLimits.maxFileBytes) throw new FileError('too_large')
    const kind = detectFileKind(name, bytes)
    if (kind === 'text' && bytes.length <= parseLimits.maxDirectTextBytes)
      return { title: toTitle(name), text: await extractText(kind, bytes) }
    const outcome = await enqueue(workspaceId, () => runParser(kind, bytes))
    if (outcome === undefined) throw new FileError('busy')
    return { title: toTitle(name), text: outcome.result }
  } catch (error) {
    if (error instanceof FileError) throw invalidField('file', error.code, error.message)
    throw error
  }
}

/** Returns the file name without its extension, and without folders, which some browsers send. */
const toTitle = (name: string): string =>
  cutText(
    (name.split(/[/\\]/).at(-1) ?? '')
      .replace(/\.\w+$/, '')
      .replace(/[_\s]+/g, ' ')
      .toWellFormed()
      .replaceAll('\u0000', '')
      .trim(),
    200,
  )

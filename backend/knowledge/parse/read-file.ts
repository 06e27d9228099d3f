import { invalidField } from '../../core/form-errors.ts'
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

/** Each reader can take half a gigabyte, so the limit is per machine, not per workspace. */
const limitConcurrency = createConcurrencyLimit({
  concurrency: parseLimits.concurrency,
  maxWaiting: parseLimits.maxWaiting,
})

/**
 * Reads the plain text of a .txt, .md, .html, .pdf, or .docx file, in a process with limited memory and time.
 *
 * @throws {ApiError} validation_failed, with a detail for the field `file`
 */
export async function readFile({
  name,
  bytes,
  isTooLarge,
}: UploadedFile): Promise<{ title: string; text: string }> {
  try {
    if (isTooLarge || bytes.length > parseLimits.maxFileBytes) throw new FileError('too_large')
    const kind = detectFileKind(name, bytes)
    const outcome = await limitConcurrency(() => runParser(kind, bytes))
    if (outcome === undefined) throw new FileError('busy')
    return { title: toTitle(name), text: outcome.result }
  } catch (error) {
    if (error instanceof FileError) throw invalidField('file', error.code, error.message)
    throw error
  }
}

/** Returns the file name without its extension, and without folders, which some browsers send. */
const toTitle = (name: string): string =>
  (name.split(/[/\\]/).at(-1) ?? '')
    .replace(/\.\w+$/, '')
    .replace(/[_\s]+/g, ' ')
    .toWellFormed()
    .replaceAll('\u0000', '')
    .trim()
    .slice(0, 200)

/** Runs at most `concurrency` tasks at once. Up to `maxWaiting` more wait for their turn. */
export function createConcurrencyLimit({
  concurrency,
  maxWaiting,
}: {
  concurrency: number
  maxWaiting: number
}) {
  let running = 0
  const queue: (() => void)[] = []

  /** Resolves to undefined immediately if too many tasks are waiting already. */
  return async <Result>(work: () => Promise<Result>): Promise<{ result: Result } | undefined> => {
    if (running >= concurrency) {
      if (queue.length >= maxWaiting) return undefined
      // A task that ends passes its slot to the next one in the queue.
      await new Promise<void>((resolve) => queue.push(resolve))
    } else {
      running += 1
    }
    try {
      return { result: await work() }
    } finally {
      const next = queue.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}

import { parentPort, workerData } from 'node:worker_threads'
import { extractText } from './extract-text.ts'
import { FileError } from './file-error.ts'
import type { FileKind } from './file-kind.ts'
import type { ParseResult } from './run-parser.ts'

const { kind, bytes } = workerData as { kind: FileKind; bytes: Uint8Array }

async function parseFile(): Promise<ParseResult> {
  try {
    return { text: await extractText(kind, bytes) }
  } catch (error) {
    // Any other error of a reader means that the file isn't in the expected format.
    return { error: error instanceof FileError ? error.code : 'broken' }
  }
}

parentPort?.postMessage(await parseFile())

// A thread of the process in child.ts, which stops it.
import { parentPort, workerData } from 'node:worker_threads'
import type { ParseResult } from './answer.ts'
import { extractText } from './extract-text.ts'
import { FileError } from './parse-result.ts'
import type { FileKind } from './file-kind.ts'

const { kind, bytes } = workerData as { kind: FileKind; bytes: Uint8Array }

async function parseFile(): Promise<ParseResult> {
  try {
    return { text: await extractText(kind, bytes) }
  } catch (error) {
    // What readers throw of themselves speaks of a file that they did not expect.
    return { fault: error instanceof FileError ? error.code : 'broken' }
  }
}

parentPort?.postMessage(await parseFile())

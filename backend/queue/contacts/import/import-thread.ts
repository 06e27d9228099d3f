import { parentPort } from 'node:worker_threads'
import type { ThreadMessage } from '../../../platform/core/job-thread.ts'
import type { CheckedRow } from './import-store.ts'
import { UnreadableFileError } from './parse-csv.ts'
import { type FoundColumns, readColumns } from './read-columns.ts'
import type { ImportFile } from './read-import-file.ts'

/**
 * A job of the thread that reads one uploaded file. The thread has either a single job, which finds the columns, or several:
 * the first opens the file, and each of the others reads the next rows.
 */
export type ImportReaderJob = { findColumns: Uint8Array } | { open: ImportFile } | 'next rows'

/** The columns of a file, the next rows (none at the end), or why the file can't be read. */
export interface ImportReaderResult {
  found?: FoundColumns
  rows?: CheckedRow[]
  error?: string
}

/** The maximum number of rows per batch. Each batch has a separate transaction. */
const batchSize = 200

let rowsOfFile: AsyncGenerator<CheckedRow> | undefined

const send = (message: ThreadMessage<ImportReaderResult>) => parentPort?.postMessage(message)

parentPort?.on('message', (job: ImportReaderJob) => {
  void handle(job).then((result) => {
    send({ result })
    send('done')
  })
})

async function handle(job: ImportReaderJob): Promise<ImportReaderResult> {
  try {
    if (job === 'next rows') return await readRows()
    if ('findColumns' in job) return { found: await readColumns(job.findColumns) }
    // The module is loaded only here, because its data about all phone numbers in the world takes memory. Finding columns
    // doesn't need it.
    const { readImportFile } = await import('./read-import-file.ts')
    rowsOfFile = readImportFile(job.open)
    return {}
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error
    return { error: error.message }
  }
}

async function readRows(): Promise<ImportReaderResult> {
  const rows: CheckedRow[] = []
  while (rows.length < batchSize) {
    const next = await rowsOfFile?.next()
    if (next === undefined || next.done) break
    rows.push(next.value)
  }
  return { rows }
}

send('ready')

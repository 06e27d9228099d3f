import { parentPort } from 'node:worker_threads'
import type { ThreadMessage } from '../../core/job-thread.ts'
import type { ImportColumn } from './import-columns.ts'
import type { CheckedRow } from './import-store.ts'
import { UnreadableFileError } from './parse-csv.ts'
import { type ImportFile, readImportFile } from './read-import-file.ts'

/** The thread that reads one uploaded file. Opens it with the first job, and reads the next rows with each that follows. */
export type ImportReaderJob = ImportFile | 'next rows'

/** The columns of a file that was opened, the next rows (none at the end), or why the file can't be read. */
export interface ImportReaderResult {
  columns?: ImportColumn[]
  rows?: CheckedRow[]
  error?: string
}

/** Rows per batch, each in a transaction of its own. */
const batchSize = 200

let items: AsyncGenerator<ImportColumn[] | CheckedRow> | undefined

const send = (message: ThreadMessage<ImportReaderResult>) => parentPort?.postMessage(message)

parentPort?.on('message', (job: ImportReaderJob) => {
  void handle(job).then((result) => {
    send({ result })
    send('done')
  })
})

async function handle(job: ImportReaderJob): Promise<ImportReaderResult> {
  try {
    return await (job === 'next rows' ? readRows() : openFile(job))
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error
    return { error: error.message }
  }
}

async function openFile(file: ImportFile): Promise<ImportReaderResult> {
  items = readImportFile(file)
  const first = await items.next()
  return !first.done && Array.isArray(first.value) ? { columns: first.value } : {}
}

async function readRows(): Promise<ImportReaderResult> {
  const rows: CheckedRow[] = []
  while (rows.length < batchSize) {
    const next = await items?.next()
    if (next === undefined || next.done) break
    if (!Array.isArray(next.value)) rows.push(next.value)
  }
  return { rows }
}

send('ready')

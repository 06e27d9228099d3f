import type { Deps } from '../../../deps.ts'
import { secondMs } from '../../../platform/core/durations.ts'
import { describeError } from '../../../platform/core/errors.ts'
import { startWorker, type Worker } from '../../../platform/core/worker.ts'
import { checkImport, findColumns } from './check-import.ts'
import { eraseFromImport } from './erase-from-import.ts'
import { finishImportStep, type ImportJob, leaseImports } from './import-store.ts'
import { UnreadableFileError } from './parse-csv.ts'
import { runImport } from './run-import.ts'
import { failUndo, undoImport } from './undo-import.ts'

type ImporterDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'notify' | 'log'>

/** How many times a file can be leased without progress before its import fails. */
const maxAttempts = 3

/**
 * Starts the worker that checks files of contacts, imports them, undoes imports, and removes erased contacts from files.
 * Several workers may run, because each file is leased.
 */
export const startImporter = (deps: ImporterDeps): Worker =>
  startWorker<ImportJob>(deps.clock, {
    name: 'importer',
    fetch: (capacity) => leaseImports(deps.db, capacity),
    handle: (job, signal) => handleImport(deps, job, signal),
    onError: (error, job) =>
      deps.log.error({ import: job?.id, error: describeError(error) }, 'failed to process a contact import'),
    concurrency: 2,
    batchSize: 2,
    pollMs: secondMs,
  })

async function handleImport(deps: ImporterDeps, job: ImportJob, signal: AbortSignal): Promise<void> {
  if (job.isErasing) return eraseFromImport(deps, job, signal, { everything: job.attempts > maxAttempts })
  if (job.status === 'undoing')
    return job.attempts > maxAttempts ? failUndo(deps, job) : undoImport(deps, job, signal)
  const fail = (message: string) =>
    finishImportStep(deps.db, job, { status: 'failed', error: message, at: deps.clock.now() })
  if (job.attempts > maxAttempts) return fail('Something went wrong on our side. Upload the file again.')
  try {
    if (job.status === 'uploaded') await findColumns(deps, job)
    else if (job.status === 'checking') await checkImport(deps, job, signal)
    else await runImport(deps, job, signal)
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error
    await fail(error.message)
  }
}

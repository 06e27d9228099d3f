import { describeError } from '../../describe-error.ts'
import type { Deps } from '../../deps.ts'
import { startWorker, type Worker } from '../../core/worker.ts'
import { checkImport } from './check-import.ts'
import { UnreadableFile } from './parse-csv.ts'
import { runImport } from './run-import.ts'
import { endStep, type ImportJob, leaseImports } from './import-store.ts'

/** Leases without coming forward after which it is given up. */
const mostTries = 3

/** Starts the worker that checks and imports files of contacts. Any number may run: each file is leased. */
export const startImporter = (deps: Deps): Worker =>
  startWorker<ImportJob>(deps.clock, {
    fetch: (room) => leaseImports(deps.db, room),
    handle: (job, signal) => handle(deps, job, signal),
    onError: (error, job) =>
      deps.log.error({ import: job?.id, error: describeError(error) }, 'contacts were not imported'),
    concurrency: 2,
    batch: 2,
    pollMs: 1_000,
  })

async function handle(deps: Deps, job: ImportJob, signal: AbortSignal): Promise<void> {
  const fail = (problem: string) => endStep(deps.db, job, { status: 'failed', problem, at: deps.clock.now() })
  if (job.tries > mostTries) return fail('Something broke on our side: send the file again.')
  try {
    await (job.status === 'uploaded' ? checkImport(deps, job, signal) : runImport(deps, job, signal))
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    await fail(error.message)
  }
}

import { startFileNameErasure } from './contacts/import/erase-file-names.ts'
import { startImporter } from './contacts/import/importer.ts'
import type { Notifier } from './core/notify.ts'
import type { Worker } from './core/worker.ts'
import { startTableAnalysis } from './db/analyze-tables.ts'
import type { Deps } from './deps.ts'
import { startDialer } from './dialer/dialer.ts'
import { startSweeper } from './dialer/sweeper.ts'
import { startAuthorizationCleanup, startExpirationJob } from './privacy/delete-expired.ts'
import { startRetention } from './privacy/retention.ts'
import { startSender } from './webhooks/sender.ts'

/**
 * Starts everything that a process with ROLE=worker or ROLE=all does without a request.
 *
 * @param otherWorkers returns how many other processes do so
 */
export function startWorkers(
  deps: Deps,
  notifier: Notifier,
  otherWorkers: () => number,
): Pick<Worker, 'stop' | 'loops'>[] {
  const dialer = startDialer(deps, { otherWorkers })
  const sender = startSender(deps)
  const importer = startImporter(deps)
  notifier.connect({
    callQueued: () => dialer.notify(),
    reportReceived: (attemptId) => dialer.reportReceived(attemptId),
    deliveryQueued: () => sender.notify(),
    importQueued: () => importer.notify(),
  })
  const cleanups = [
    startExpirationJob(deps),
    startAuthorizationCleanup(deps),
    startRetention(deps),
    startFileNameErasure(deps),
  ]
  return [dialer, startSweeper(deps), sender, importer, ...cleanups, startTableAnalysis(deps)]
}

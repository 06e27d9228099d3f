import { startChatAnalysis } from './calling/chats/analysis-job.ts'
import { startIdleChatEnd } from './calling/chats/idle-chats.ts'
import { startDialer } from './calling/dialer/dialer.ts'
import { startSweeper } from './calling/dialer/sweeper.ts'
import type { Deps } from './deps.ts'
import type { Notifier } from './platform/core/notify.ts'
import type { Worker } from './platform/core/worker.ts'
import { startTableAnalysis } from './platform/db/analyze-tables.ts'
import { startAuthorizationCleanup, startExpirationJob } from './privacy/delete-expired.ts'
import { startRetention } from './privacy/retention.ts'
import { startFileNameErasure } from './queue/contacts/import/erase-file-names.ts'
import { startImporter } from './queue/contacts/import/importer.ts'
import { startSender } from './webhooks/sender.ts'

/**
 * Starts the workers and periodic jobs of a process with ROLE=worker or ROLE=all.
 *
 * @param otherWorkers returns how many other processes have workers
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
  const { model } = deps
  const chats = [startIdleChatEnd(deps), ...(model ? [startChatAnalysis({ ...deps, model })] : [])]
  return [dialer, startSweeper(deps), sender, importer, ...chats, ...cleanups, startTableAnalysis(deps)]
}

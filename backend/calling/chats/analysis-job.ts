import type { Deps } from '../../deps.ts'
import { minuteMs, secondMs } from '../../platform/core/durations.ts'
import { describeError } from '../../platform/core/errors.ts'
import { startWorker, type Worker } from '../../platform/core/worker.ts'
import { findAgentVersion } from '../../queue/agents/agents.ts'
import type { AnalysisRequest } from '../conversation/model/analyze.ts'
import { failureSentences } from '../conversation/model/failure.ts'
import type { ModelClient } from '../conversation/model/model-client.ts'
import { noUsage } from '../conversation/model/usage.ts'
import { type AnalysisAttempt, type AnalysisEnd, leaseAnalyses, saveAnalysisEnd } from './analysis-store.ts'
import { toAnalyzed } from './build-conversation.ts'
import { selectChat, selectTurns } from './chat-store.ts'
import { addLateResults } from './read-chat.ts'
import { addTokens } from './token-usage.ts'

/** How long a process leases a chat. It's longer than the model client's time limit for an analysis. */
const leaseMs = minuteMs
/** Maximum attempts to analyze a chat. The second one ends within two minutes after the first one began. */
const maxAttempts = 2
/** How long to wait before the second attempt. It's long enough for a restart of the model's server. */
const retryDelayMs = 15 * secondMs

const processEnded = 'The process that analyzed the conversation ended before the analysis was done.'

type AnalysisDeps = Pick<Deps, 'clock' | 'config' | 'db' | 'log' | 'metrics'> & { model: ModelClient }

/**
 * Starts a worker that analyzes chats that have ended. Any number of processes can run this worker. Each chat is leased to one
 * of them, and if the lease expires, another process analyzes the chat.
 */
export function startChatAnalysis(deps: AnalysisDeps): Worker {
  const { clock, db, log } = deps
  return startWorker<AnalysisAttempt>(clock, {
    name: 'chat_analysis',
    concurrency: 8,
    batchSize: 8,
    pollMs: secondMs,
    fetch: (limit) => {
      const now = clock.now()
      return leaseAnalyses(db, { now, until: new Date(now.getTime() + leaseMs), limit })
    },
    handle: (attempt, signal) => analyzeChat(deps, attempt, signal),
    onError: (error, attempt) =>
      log.error({ chat: attempt?.chatId, error: describeError(error) }, 'failed to analyze a chat'),
  })
}

async function analyzeChat(deps: AnalysisDeps, attempt: AnalysisAttempt, signal: AbortSignal): Promise<void> {
  if (attempt.number > maxAttempts) {
    await saveAnalysisEnd(deps.db, attempt, { type: 'failure', failure: processEnded }, noUsage)
    return
  }
  const outcome = await deps.model.analyze({ ...(await loadRequest(deps, attempt)), signal })
  await saveAnalysisEnd(deps.db, attempt, toEnd(deps, attempt, outcome), outcome.usage)
  await addTokens(deps, attempt.workspaceId, outcome.usage)
}

/**
 * Returns how an attempt ends. An attempt that was aborted because this process stops doesn't count, and is repeated at once.
 */
function toEnd(
  { clock }: Pick<Deps, 'clock'>,
  { number }: AnalysisAttempt,
  outcome: Awaited<ReturnType<ModelClient['analyze']>>,
): AnalysisEnd {
  if (outcome.type === 'analysis') return outcome
  const { kind } = outcome.failure
  if (kind === 'aborted') return { type: 'stopped', at: clock.now() }
  if (number >= maxAttempts) return { type: 'failure', failure: failureSentences[kind] }
  return { type: 'retry', at: new Date(clock.now().getTime() + retryDelayMs) }
}

/** Returns the chat's transcript, with the goal and the results of the agent's version that the chat used. */
async function loadRequest(
  { db }: Pick<Deps, 'db'>,
  { workspaceId, chatId, agentId, agentVersion }: AnalysisAttempt,
): Promise<Omit<AnalysisRequest, 'signal'>> {
  const chat = await selectChat(db, workspaceId, chatId)
  const turns = chat && addLateResults(chat, await selectTurns(db, workspaceId, chatId))
  const { values } = await findAgentVersion(db, workspaceId, agentId, agentVersion)
  return { ...toAnalyzed(values, turns ?? []), model: values.model ?? undefined }
}

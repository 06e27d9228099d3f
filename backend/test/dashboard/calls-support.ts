import { claimCalls } from '../../dialer/claim-calls.ts'
import type { FencedAttempt } from '../../dialer/attempt-store.ts'
import { type AttemptResult, finishAttempt } from '../../dialer/finish-attempt.ts'
import type { Analysis } from '../../telephony/provider.ts'
import { finishAnalysis } from '../../calls/settle.ts'
import type { TestDeps } from '../support/deps.ts'
import type { Seed } from '../support/seed.ts'

const lease = { provider: 'simulated', workerId: '00000000-0000-4000-8000-00000000000a', leaseMs: 600_000 }

const findLiveAttempt = ({ db }: TestDeps, seed: Seed, callId: number): Promise<FencedAttempt | undefined> =>
  db
    .selectFrom('attempt')
    .select(['id', 'fence', 'workspace_id as workspaceId'])
    .where('workspace_id', '=', seed.workspaceId)
    .where('call_id', '=', callId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()

/** Has a waiting call dialed, and answers its attempt. What is due besides is dialed too. */
export async function dialCall(deps: TestDeps, seed: Seed, callId: number): Promise<FencedAttempt> {
  for (let round = 0; round < 20; round += 1) {
    const attempt = await findLiveAttempt(deps, seed, callId)
    if (attempt !== undefined) return attempt
    await claimCalls(deps, lease)(50)
  }
  throw new Error(`call ${callId} was never dialed`)
}

/** Ends a call by an attempt, and its analysis where it was answered: then its event is written. */
export async function completeDialedCall(
  deps: TestDeps,
  seed: Seed,
  callId: number,
  result: AttemptResult,
  analysis?: Analysis,
): Promise<void> {
  await finishAttempt(deps)(await dialCall(deps, seed, callId), result)
  if (result.outcome === 'answered') {
    await finishAnalysis(deps)({ workspaceId: seed.workspaceId, callId }, analysis)
  }
}

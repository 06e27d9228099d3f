import { claimCalls } from '../../dialer/claim-calls.ts'
import type { FencedAttempt } from '../../dialer/attempt-store.ts'
import { type AttemptEnd, finishAttempt } from '../../dialer/finish-attempt.ts'
import type { Analysis } from '../../telephony/provider.ts'
import { settleAnalysis } from '../../calls/settle.ts'
import type { TestDeps } from '../support/deps.ts'
import type { Seed } from '../support/seed.ts'

const lease = { line: 'simulated', workerId: '00000000-0000-4000-8000-00000000000a', leaseMs: 600_000 }

const findLive = ({ db }: TestDeps, seed: Seed, callId: number): Promise<FencedAttempt | undefined> =>
  db
    .selectFrom('attempt')
    .select(['id', 'fence', 'workspace_id as workspaceId'])
    .where('workspace_id', '=', seed.workspaceId)
    .where('call_id', '=', callId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()

/** Has a waiting call dialed, and answers its attempt. What is due besides is dialed too. */
export async function dial(deps: TestDeps, seed: Seed, callId: number): Promise<FencedAttempt> {
  for (let round = 0; round < 20; round += 1) {
    const live = await findLive(deps, seed, callId)
    if (live !== undefined) return live
    await claimCalls(deps, lease)(50)
  }
  throw new Error(`call ${callId} was never dialed`)
}

/** Ends a call by an attempt, and its analysis where it was answered: then its event is written. */
export async function completeBy(
  deps: TestDeps,
  seed: Seed,
  callId: number,
  end: AttemptEnd,
  analysis?: Analysis,
): Promise<void> {
  await finishAttempt(deps)(await dial(deps, seed, callId), end)
  if (end.outcome === 'answered') {
    await settleAnalysis(deps)({ workspaceId: seed.workspaceId, callId }, analysis)
  }
}

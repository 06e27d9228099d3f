import { randomUUID } from 'node:crypto'
import { finishAttempt, emptyResult } from '../../../dialer/finish-attempt.ts'
import type { TestDeps } from '../../support/deps.ts'
import type { Seed } from '../../support/seed.ts'

let liveCallCount = 0

/** A call that is being talked on. `end` hangs up. */
export async function seedLiveCall(
  deps: TestDeps,
  seed: Pick<Seed, 'workspaceId' | 'agentId' | 'campaignId' | 'phoneNumberId'>,
  { test = false } = {},
): Promise<{ callId: number; attemptId: string; end(): Promise<void> }> {
  liveCallCount += 1
  const { db } = deps
  const now = deps.clock.now()
  const workspace_id = seed.workspaceId
  const phone_number = `+1202555${String(liveCallCount).padStart(4, '0')}`
  const contact = await db
    .insertInto('contact')
    .values({ workspace_id, phone_number, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  const call = await db
    .insertInto('call')
    .values({
      workspace_id,
      campaign_id: seed.campaignId,
      contact_id: contact.id,
      agent_id: seed.agentId,
      phone_number_id: seed.phoneNumberId,
      status: 'in_progress',
      test,
      from_number: '+12025550190',
      to_number: phone_number,
      attempts: 1,
      queued_at: now,
      due_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const attempt = await db
    .insertInto('attempt')
    .values({
      workspace_id,
      call_id: call.id,
      campaign_id: seed.campaignId,
      number: 1,
      to_number: phone_number,
      test,
      line: 'simulated',
      worker_id: randomUUID(),
      lease_until: new Date(now.getTime() + 60_000),
      started_at: now,
    })
    .returning(['id', 'fence'])
    .executeTakeFirstOrThrow()
  return {
    callId: call.id,
    attemptId: attempt.id,
    end: async () => {
      const fencedAttempt = { id: attempt.id, fence: attempt.fence, workspaceId: seed.workspaceId }
      await finishAttempt(deps)(fencedAttempt, emptyResult('no_answer', 'ring_timeout'))
    },
  }
}

import { beforeEach, expect } from '@jest/globals'
import { sql } from 'kysely'
import { type AttemptResult, emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { recordToolCall } from '../../queue/calls/record-tool-call.ts'
import { seedCall } from './calls.ts'
import { claimAndSettle } from './claim-and-settle.ts'
import { useWorld } from './world.ts'

export const number = '+12025550173'
export const email = 'zelda.quine@example.com'
/** The contact whom the tests erase. `findTraces` searches for each of these values. */
export const person = {
  first_name: 'Zelda',
  last_name: 'Quine',
  email,
  external_id: 'crm-zelda',
  time_zone: 'America/Denver',
  variables: { dog: 'Zelda-dog' },
  metadata: { sheet: 'Zelda-row' },
  consent: { source: 'Zelda-form', at: '2026-05-01T09:00:00Z' },
  callback_url: 'https://hooks.example.com/zelda?name=Zelda',
}
export const answered: AttemptResult = {
  ...emptyResult('answered', 'agent_hung_up'),
  answeredAt: new Date('2026-05-04T15:00:00Z'),
  transcript: [{ role: 'contact', text: 'Zelda speaking', at: '2026-05-04T15:00:01.000Z' }],
  recordingUrl: 'https://example.com/zelda.mp3',
}
export const analysis = {
  summary: 'Zelda is glad',
  sentiment: 'positive',
  goalMet: true,
  extracted: { name: 'Zelda' },
} as const

/** Gives every test a new workspace. Only this workspace's calls can be claimed. */
export function useErasureWorld() {
  const world = useWorld()
  beforeEach(async () => {
    await world.database.db
      .updateTable('campaign')
      .set({ status: 'archived' })
      .where('workspace_id', '!=', world.seed.workspaceId)
      .execute()
  })

  const claim = async (provider = 'simulated') => {
    const lease = { provider, workerId: crypto.randomUUID(), leaseMs: 60_000 }
    const [claimed] = await claimAndSettle(world.deps, lease, 1)
    if (claimed === undefined) throw new Error('there was nothing to claim')
    return claimed
  }

  /** Creates a conversation that has ended and waits for its analysis. */
  const seedConversation = async (provider?: string) => {
    const call = await seedCall(world.deps, world.seed, number, person)
    const attempt = await claim(provider)
    expect(await finishAttempt(world.deps, attempt, answered)).toBe('analyzing')
    return { call, contactId: call.contact.id, attempt }
  }

  return {
    world,
    erase: (contactId: number) => eraseContact(world.deps, world.seed.workspaceId, contactId),
    claim,
    seedConversation,
    toolCall: (conversation: Awaited<ReturnType<typeof seedConversation>>, text = 'Zelda') =>
      recordToolCall(world.deps, world.seed.workspaceId, {
        of: { callId: conversation.call.id, attemptId: conversation.attempt.id },
        toolName: 'contact_note',
        args: { text },
        result: { text, isError: false },
        dryRun: false,
        startedAt: world.deps.clock.now(),
        durationMs: 5,
      }),
    /** Returns the rows that still have data of the person. Ignores pending deliveries, because they need the callback URL. */
    findTraces: async (): Promise<string[]> => {
      const { db } = world.deps
      const workspaceId = String(world.seed.workspaceId)
      const { rows: tables } = await sql<{ name: string }>`
        select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`.execute(db)
      const found: string[] = []
      for (const { name } of tables) {
        const { rows } = await sql<{ row: string }>`
          select to_jsonb(t)::text as row from ${sql.table(name)} t
          where to_jsonb(t)::text ~* 'zelda|quine|2025550173|555.{0,3}0173'
            and coalesce(to_jsonb(t) ->> 'workspace_id', ${workspaceId}) = ${workspaceId}
            and not (to_jsonb(t) ? 'next_attempt_at' and to_jsonb(t) ->> 'status' = 'pending')`.execute(db)
        found.push(...rows.map(({ row }) => `${name}: ${row}`))
      }
      return found
    },
  }
}

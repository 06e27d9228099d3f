import { setTimeout as delay } from 'node:timers/promises'
import { type Call, type CallOutcome, exampleCall } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../core/caller.ts'
import { publishCallCompleted } from '../../webhooks/outbox.ts'
import type { Seed } from './seed.ts'

let completedCallCount = 0

/** A completed call, as a row and as the API answers it. */
export async function seedCompletedCall(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  seed: Seed,
  outcome: CallOutcome = 'answered',
): Promise<Call> {
  completedCallCount += 1
  const toNumber = `+1202555${String(completedCallCount).padStart(4, '0')}`
  const contact = await db
    .insertInto('contact')
    .values({ workspace_id: seed.workspaceId, phone_number: toNumber })
    .returning('id')
    .executeTakeFirstOrThrow()
  const row = await db
    .insertInto('call')
    .values({
      workspace_id: seed.workspaceId,
      campaign_id: seed.campaignId,
      contact_id: contact.id,
      agent_id: seed.agentId,
      phone_number_id: seed.phoneNumberId,
      status: 'completed',
      outcome,
      from_number: '+12025550199',
      to_number: toNumber,
      queued_at: clock.now(),
      due_at: clock.now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return {
    ...exampleCall,
    id: row.id,
    outcome,
    campaign_id: seed.campaignId,
    agent_id: seed.agentId,
    to_number: toNumber,
  }
}

/** A call that ends now: its event and deliveries are written. */
export async function completeCall(
  deps: Pick<Deps, 'db' | 'clock'>,
  seed: Seed,
  options: { outcome?: CallOutcome; callbackUrl?: string } = {},
): Promise<Call> {
  const call = await seedCompletedCall(deps, seed, options.outcome)
  await deps.db.transaction().execute((tx) =>
    publishCallCompleted(tx, {
      workspaceId: seed.workspaceId,
      call,
      callbackUrl: options.callbackUrl ?? null,
      at: deps.clock.now(),
    }),
  )
  return call
}

const callerScopes: Caller['scopes'] = ['calls:read', 'webhooks:write']

/** A caller with a personal API key. */
export async function seedApiKeyCaller(
  { db }: Pick<Deps, 'db'>,
  seed: Seed,
): Promise<Caller & { apiKeyId: number }> {
  const { workspaceId, userId } = seed
  const key = await db
    .insertInto('api_key')
    .values({ workspace_id: workspaceId, user_id: userId, name: 'Test', prefix: 'odk_test' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { workspaceId, userId, apiKeyId: key.id, clientId: null, scopes: callerScopes }
}

let grantCount = 0

/** A caller through an app that its user connected to the workspace. */
export async function seedAppCaller(
  { db }: Pick<Deps, 'db'>,
  seed: Seed,
  clientId = 'zapier',
): Promise<Caller & { clientId: string }> {
  const { workspaceId, userId } = seed
  await db
    .insertInto('oauth_client')
    .values({ id: clientId, name: clientId, secret: null, redirect_uris: ['https://zapier.com/return'] })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  grantCount += 1
  await db
    .insertInto('oauth_grant')
    .values({
      id_hash: Buffer.from(`grant ${grantCount}`),
      workspace_id: workspaceId,
      user_id: userId,
      client_id: clientId,
    })
    .execute()
  return { workspaceId, userId, apiKeyId: null, clientId, scopes: callerScopes }
}

/** Reads again until what was read meets the condition; the test's own time limit ends it otherwise. */
export async function waitForValue<Value>(
  read: () => Promise<Value>,
  condition: (value: Value) => boolean,
): Promise<Value> {
  for (;;) {
    const value = await read()
    if (condition(value)) return value
    await delay(5)
  }
}

/** Until somebody on this database waits for a lock of another: then an interleaving is what it should be. */
export async function waitForBlockedTransaction(db: Db): Promise<void> {
  await waitForValue(
    () =>
      sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db,
      ),
    ({ rows }) => rows.length > 0,
  )
}

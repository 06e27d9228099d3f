import { randomUUID } from 'node:crypto'
import {
  type Call,
  type CallingHours,
  type CallOutcome,
  exampleCall,
  type RetryPolicy,
} from '@outdial/contract'
import { insertUser } from '../../accounts/identity/user-store.ts'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { newWebhookSecret } from '../../platform/secrets/tokens.ts'
import { callbackDelayMs } from '../../webhooks/callback-url-store.ts'
import { writeCompletedEvents } from '../../webhooks/outbox.ts'
import type { TestDeps } from './deps.ts'

/** The password of every user that these helpers create. */
export const password = 'correct horse battery'

/** The hash of `password` as `hashPassword()` returns it. It's stored here, because hashing is slow on purpose. */
const passwordHash =
  '$argon2id$v=19$m=19456,t=2,p=1$MtDiM2LAQdvVqa8uErJSww$d0x7edapKjNRzUFxhXyWD/L73GQOjWgSeCWdjCr+ffg'

let userCount = 0

/** Creates a user who can sign in, with an email address that no other test user has. */
export async function seedUser({ db }: Pick<Deps, 'db'>): Promise<{ userId: number; email: string }> {
  userCount += 1
  const email = `robin${userCount}@example.com`
  const user = await insertUser(db, { email, name: 'Robin', passwordHash })
  if (user === undefined) throw new Error(`${email} already exists`)
  return { userId: user.id, email }
}

let completedCallCount = 0

/** Creates a completed call, and returns it as the API does. */
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

/** Adds a callback URL, and dates it back by `callbackDelayMs`, so that its event is sent without delay. */
async function seedCallback(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { workspaceId, userId }: Seed,
  callId: number,
  url: string,
): Promise<void> {
  const createdAt = new Date(clock.now().getTime() - callbackDelayMs)
  await db
    .insertInto('call_callback')
    .values({ workspace_id: workspaceId, call_id: callId, url, user_id: userId, created_at: createdAt })
    .execute()
}

/** Creates a call that ends now, with its event and deliveries. */
export async function completeCall(
  deps: Pick<Deps, 'db' | 'clock'>,
  seed: Seed,
  options: { outcome?: CallOutcome; callbackUrl?: string; values?: Partial<Call> } = {},
): Promise<Call> {
  const call = { ...(await seedCompletedCall(deps, seed, options.outcome)), ...options.values }
  if (options.callbackUrl !== undefined) await seedCallback(deps, seed, call.id, options.callbackUrl)
  await deps.db
    .transaction()
    .execute((db) => writeCompletedEvents(db, seed.workspaceId, { calls: [call], at: deps.clock.now() }))
  return call
}

const callerScopes: Caller['scopes'] = ['calls:read', 'webhooks:write']

/** Creates an API key, and returns a caller with this key. */
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

/** Connects an app to the workspace, and returns a caller with this connection. */
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

/** The IDs of a workspace that can place calls: it has one user, one Live agent, one active number, and one campaign. */
export interface Seed {
  workspaceId: number
  userId: number
  agentId: number
  phoneNumberId: number
  campaignId: number
}

export const everyHour: CallingHours = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  start: '00:00',
  end: '24:00',
}

export const noRetry: RetryPolicy = { max_attempts: 1, delay_minutes: 60, on: [] }

/** Creates a workspace that can place calls. The public API can't create workspaces. */
export async function seedWorkspace(deps: Pick<Deps, 'db' | 'secretBox'>, name = 'Acme'): Promise<Seed> {
  const { db, secretBox } = deps
  const workspace = await db
    .insertInto('workspace')
    .values({
      name,
      country: 'US',
      time_zone: 'America/New_York',
      webhook_secret: '',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .updateTable('workspace')
    .set({ webhook_secret: secretBox.seal(newWebhookSecret(), ['workspace.webhook_secret', workspace.id]) })
    .where('id', '=', workspace.id)
    .execute()
  const user = await db
    .insertInto('app_user')
    .values({ email: `${randomUUID()}@example.com`, name: 'Robin', password_hash: 'none' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('membership')
    .values({ workspace_id: workspace.id, user_id: user.id, role: 'owner' })
    .execute()
  const agentId = await seedAgent(deps, workspace.id)
  const phoneNumberId = await seedPhoneNumber(deps, workspace.id)
  const campaignId = await seedCampaign(deps, { workspaceId: workspace.id, agentId, phoneNumberId })
  return { workspaceId: workspace.id, userId: user.id, agentId, phoneNumberId, campaignId }
}

export async function seedAgent(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  values: { name?: string; status?: 'draft' | 'live' | 'paused' } = {},
): Promise<number> {
  const row = await db
    .insertInto('agent')
    .values({ workspace_id: workspaceId, name: 'Ava', status: 'live', variables: ['product'], ...values })
    .returning(['id', 'name', 'language', 'greeting', 'variables'])
    .executeTakeFirstOrThrow()
  const { id, ...stored } = row
  await db
    .insertInto('agent_version')
    .values({ workspace_id: workspaceId, agent_id: id, number: 1, values: JSON.stringify(stored) })
    .execute()
  return id
}

/** Returns the ID that agent runtimes use for an agent. */
export async function getWidgetId({ db }: Pick<Deps, 'db'>, agentId: number): Promise<string> {
  const row = await db
    .selectFrom('agent')
    .select('widget_id')
    .where('id', '=', agentId)
    .executeTakeFirstOrThrow()
  return row.widget_id
}

let phoneNumberCount = 0

export async function seedPhoneNumber(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  values: { label?: string; status?: 'active' | 'retired' } = {},
): Promise<number> {
  phoneNumberCount += 1
  const row = await db
    .insertInto('phone_number')
    .values({
      workspace_id: workspaceId,
      phone_number: `+1202556${String(phoneNumberCount).padStart(4, '0')}`,
      label: 'Sales',
      country: 'US',
      ...values,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

export async function seedCampaign(
  { db }: Pick<Deps, 'db'>,
  values: {
    workspaceId: number
    agentId: number
    phoneNumberId: number
    name?: string
    callingHours?: CallingHours
    timeZone?: string
    maxConcurrentCalls?: number
    retry?: RetryPolicy
  },
): Promise<number> {
  const row = await db
    .insertInto('campaign')
    .values({
      workspace_id: values.workspaceId,
      name: values.name ?? 'Leads',
      agent_id: values.agentId,
      phone_number_id: values.phoneNumberId,
      time_zone: values.timeZone ?? 'America/New_York',
      calling_hours: JSON.stringify(values.callingHours ?? everyHour),
      max_concurrent_calls: values.maxConcurrentCalls ?? 5,
      retry: JSON.stringify(values.retry ?? noRetry),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

let liveCallCount = 0

/** Creates a call in progress. The returned `end` ends the call. */
export async function seedLiveCall(
  deps: TestDeps,
  seed: Pick<Seed, 'workspaceId' | 'agentId' | 'campaignId' | 'phoneNumberId'>,
  { test = false } = {},
): Promise<{ callId: number; attemptId: string; end(): Promise<void> }> {
  liveCallCount += 1
  const { db } = deps
  const now = deps.clock.now()
  const workspace_id = seed.workspaceId
  const phone_number = `+1202558${String(liveCallCount).padStart(4, '0')}`
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
    .insertInto('call_attempt')
    .values({
      workspace_id,
      call_id: call.id,
      campaign_id: seed.campaignId,
      number: 1,
      to_number: phone_number,
      test,
      provider: 'simulated',
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
      await finishAttempt(deps, fencedAttempt, emptyResult('no_answer', 'ring_timeout'))
    },
  }
}

let freshNumberCount = 0

/** Returns a new valid number in New York's time zone. The simulated provider has no scenario for this number. */
export function freshNumber(): string {
  freshNumberCount += 1
  return `+1202557${String(freshNumberCount + 200).padStart(4, '0')}`
}

import { type AddContact, type Call, CallCompletedEvent, type Contact } from '@outdial/contract'
import type { FencedAttempt } from '../../calling/dialer/attempt-lease-store.ts'
import type { AttemptResult } from '../../calling/dialer/attempt-result.ts'
import { finishAnalysis, finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import type { Analysis } from '../../calling/telephony/provider.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { findCall } from '../../queue/calls/get-calls.ts'
import { addContact as addToDatabase } from '../../queue/contacts/add-contact.ts'
import { addCallback } from '../../webhooks/callbacks.ts'
import { claimAndSettle } from './claim-and-settle.ts'
import type { TestDeps } from './deps.ts'
import { freshNumber, type Seed, seedApiKeyCaller } from './factories.ts'
import type { Service } from './service.ts'
import { waitFor } from './wait.ts'

export const toCaller = (seed: Seed): Caller => ({
  workspaceId: seed.workspaceId,
  userId: seed.userId,
  apiKeyId: 1,
  clientId: null,
  scopes: ['contacts:write', 'calls:read'],
})

/** Adds a contact and queues a call, and returns both as the API shows them. */
export async function addContact(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  input: AddContact,
): Promise<{ contact: Contact; call: Call; contact_created: boolean; call_queued: boolean }> {
  const { contact, call } = await addToDatabase(deps, caller, input)
  if (call === null || typeof call === 'string') throw new Error('invariant: a call was requested')
  if (input.callback_url) {
    const url = input.callback_url
    await inTransaction(deps, (tx) => addCallback(tx, caller, { callId: call.id, url }))
  }
  const shown = await findCall(deps, caller.workspaceId, call.id, deps.clock.now())
  if (shown === undefined) throw new Error(`call ${call.id} doesn't exist`)
  return { contact: shown.contact, call: shown, contact_created: contact.created, call_queued: call.queued }
}

/** Queues a call as the dashboard does. */
export async function seedCall(
  deps: TestDeps,
  seed: Seed,
  phoneNumber: string,
  input: Partial<AddContact> = {},
): Promise<Call> {
  const body = { phone_number: phoneNumber, campaign_id: seed.campaignId, first_name: 'Maya', ...input }
  // Only a connection can send a callback URL, so a call with one needs an API key.
  const caller = body.callback_url ? await seedApiKeyCaller(deps, seed) : toCaller(seed)
  return (await addContact(deps, caller, body)).call
}

/** Returns a function that queues calls in a user's workspace. */
export const createCallSeeder =
  (world: { readonly service: Service }) =>
  (user: { seed: Seed }, input: Partial<AddContact> = {}, number = freshNumber()): Promise<Call> =>
    seedCall(world.service.deps, user.seed, number, input)

export async function getCall(deps: TestDeps, seed: Seed, id: number): Promise<Call> {
  const call = await findCall(deps, seed.workspaceId, id, deps.clock.now())
  if (call === undefined) throw new Error(`call ${id} doesn't exist`)
  return call
}

/** Returns the events of a call in the format in which they're sent. */
export async function listEvents(deps: TestDeps, callId: number): Promise<CallCompletedEvent[]> {
  const rows = await deps.db.selectFrom('event').select('body').where('call_id', '=', callId).execute()
  return rows.map((row) => CallCompletedEvent.parse(JSON.parse(row.body)))
}

export const listAttempts = (deps: TestDeps, callId: number) =>
  deps.db.selectFrom('call_attempt').selectAll().where('call_id', '=', callId).orderBy('number').execute()

/** Advances the clock until the call meets the predicate. */
export const advanceUntil = (
  deps: TestDeps,
  seed: Seed,
  id: number,
  predicate: (call: Call) => boolean,
  stepMs = 250,
): Promise<Call> =>
  waitFor(
    async () => {
      const call = await getCall(deps, seed, id)
      return predicate(call) && call
    },
    () => deps.clock.advance(stepMs),
  )

/** Advances the clock until the call is completed and its event is written. */
export async function advanceUntilCompleted(
  deps: TestDeps,
  seed: Seed,
  id: number,
  stepMs?: number,
): Promise<Call> {
  await advanceUntil(deps, seed, id, (call) => call.status === 'completed', stepMs)
  await waitFor(
    async () => (await listEvents(deps, id)).length > 0,
    () => deps.clock.advance(stepMs ?? 250),
  )
  return getCall(deps, seed, id)
}

const lease = { provider: 'simulated', workerId: '00000000-0000-4000-8000-00000000000a', leaseMs: 600_000 }

const findLiveAttempt = ({ db }: TestDeps, seed: Seed, callId: number): Promise<FencedAttempt | undefined> =>
  db
    .selectFrom('call_attempt')
    .select(['id', 'fence', 'workspace_id as workspaceId'])
    .where('workspace_id', '=', seed.workspaceId)
    .where('call_id', '=', callId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()

/** Claims due calls until the given call is dialed, and returns its attempt. */
export async function dialCall(deps: TestDeps, seed: Seed, callId: number): Promise<FencedAttempt> {
  for (let round = 0; round < 20; round += 1) {
    const attempt = await findLiveAttempt(deps, seed, callId)
    if (attempt !== undefined) return attempt
    await claimAndSettle(deps, lease, 50)
  }
  throw new Error(`call ${callId} was never dialed`)
}

/**
 * Dials a call, and ends it with this result. Also finishes the analysis of an answered call, so that the call's event is
 * written.
 */
export async function completeDialedCall(
  deps: TestDeps,
  seed: Seed,
  callId: number,
  result: AttemptResult,
  analysis?: Analysis,
): Promise<void> {
  await finishAttempt(deps, await dialCall(deps, seed, callId), result)
  if (result.outcome === 'answered') {
    await finishAnalysis(deps, { workspaceId: seed.workspaceId, callId }, analysis)
  }
}

import { type AddContact, type Call, CallCompletedEvent } from '@outdial/contract'
import { sql } from 'kysely'
import { setTimeout as delay } from 'node:timers/promises'
import { findCall } from '../../calls/get-calls.ts'
import { addContact } from '../../contacts/add-contact.ts'
import type { Caller } from '../../core/caller.ts'
import type { TestDeps } from './deps.ts'
import type { Seed } from './seed.ts'

export const toCaller = (seed: Seed): Caller => ({
  workspaceId: seed.workspaceId,
  userId: seed.userId,
  apiKeyId: 1,
  clientId: null,
  scopes: ['contacts:write', 'calls:read'],
})

/** Queues a call the way that the API does, and answers the call. */
export async function seedCall(
  deps: TestDeps,
  seed: Seed,
  phoneNumber: string,
  input: Partial<AddContact> = {},
): Promise<Call> {
  const body = { phone_number: phoneNumber, campaign_id: seed.campaignId, first_name: 'Maya', ...input }
  return (await addContact(deps)(toCaller(seed), body)).call
}

let freshNumberCount = 0

/** A valid number in New York's zone whose last digits decide nothing, another each time. */
export function freshNumber(): string {
  freshNumberCount += 1
  return `+1202557${String(freshNumberCount + 200).padStart(4, '0')}`
}

export async function getCall(deps: TestDeps, seed: Seed, id: number): Promise<Call> {
  const call = await findCall(deps.db, seed.workspaceId, id, deps.clock.now())
  if (call === undefined) throw new Error(`call ${id} is gone`)
  return call
}

/** The events of a call, as they are sent. */
export async function listEvents(deps: TestDeps, callId: number): Promise<CallCompletedEvent[]> {
  const rows = await deps.db.selectFrom('event').select('body').where('call_id', '=', callId).execute()
  return rows.map((row) => CallCompletedEvent.parse(JSON.parse(row.body)))
}

export const listAttempts = (deps: TestDeps, callId: number) =>
  deps.db.selectFrom('attempt').selectAll().where('call_id', '=', callId).orderBy('number').execute()

/** Asks until the answer is neither undefined, null nor false. `turn` is done before each further asking. */
export async function waitFor<Value>(
  probe: () => Promise<Value | undefined | null | false>,
  onRetry: () => void = () => {},
  timeoutMs = 15_000,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const value = await probe()
    if (value !== undefined && value !== null && value !== false) return value
    if (performance.now() > deadline) throw new Error(`never became true: ${probe.toString()}`)
    onRetry()
    await delay(5)
  }
}

/** Turns the clock on until the call is as asked. */
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

/** Turns the clock on until the call is completed and its event written. */
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

/** Resolves when a transaction of this database waits for another's lock: the interleaving is there. */
export const waitForLockWaiter = (deps: TestDeps): Promise<true> =>
  waitFor(async () => {
    const { rows } = await sql<{ isWaiting: boolean }>`
      select count(*) > 0 as waits from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(deps.db)
    return rows[0]?.isWaiting === true
  })

import { type AddContact, type Call, CallCompletedEvent } from '@outdial/contract'
import { sql } from 'kysely'
import { setTimeout as delay } from 'node:timers/promises'
import { readCall } from '../../calls/get-calls.ts'
import { addContact } from '../../contacts/add-contact.ts'
import type { Caller } from '../../core/caller.ts'
import type { TestDeps } from './deps.ts'
import type { Seed } from './seed.ts'

export const callerOf = (seed: Seed): Caller => ({
  workspaceId: seed.workspaceId,
  userId: seed.userId,
  apiKeyId: 1,
  clientId: null,
  scopes: ['contacts:write', 'calls:read'],
})

/** Queues a call the way that the API does, and answers the call. */
export async function queue(
  deps: TestDeps,
  seed: Seed,
  phoneNumber: string,
  input: Partial<AddContact> = {},
): Promise<Call> {
  const body = { phone_number: phoneNumber, campaign_id: seed.campaignId, first_name: 'Maya', ...input }
  return (await addContact(deps)(callerOf(seed), body)).call
}

let numbers = 0

/** A valid number in New York's zone whose last digits decide nothing, another each time. */
export function freshNumber(): string {
  numbers += 1
  return `+1202557${String(numbers + 200).padStart(4, '0')}`
}

export async function callOf(deps: TestDeps, seed: Seed, id: number): Promise<Call> {
  const call = await readCall(deps.db, seed.workspaceId, id, deps.clock.now())
  if (call === undefined) throw new Error(`call ${id} is gone`)
  return call
}

/** The events of a call, as they are sent. */
export async function eventsOf(deps: TestDeps, callId: number): Promise<CallCompletedEvent[]> {
  const rows = await deps.db.selectFrom('event').select('body').where('call_id', '=', callId).execute()
  return rows.map((row) => CallCompletedEvent.parse(JSON.parse(row.body)))
}

export const attemptsOf = (deps: TestDeps, callId: number) =>
  deps.db.selectFrom('attempt').selectAll().where('call_id', '=', callId).orderBy('number').execute()

/** Asks until the answer is neither undefined, null nor false. `turn` is done before each further asking. */
export async function until<Answer>(
  ask: () => Promise<Answer | undefined | null | false>,
  turn: () => void = () => {},
  patienceMs = 15_000,
): Promise<Answer> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== null && answer !== false) return answer
    if (performance.now() > deadline) throw new Error(`never became true: ${ask.toString()}`)
    turn()
    await delay(5)
  }
}

/** Turns the clock on until the call is as asked. */
export const callUntil = (
  deps: TestDeps,
  seed: Seed,
  id: number,
  is: (call: Call) => boolean,
  stepMs = 250,
): Promise<Call> =>
  until(
    async () => {
      const call = await callOf(deps, seed, id)
      return is(call) && call
    },
    () => deps.clock.advance(stepMs),
  )

/** Turns the clock on until the call is completed and its event written. */
export async function completed(deps: TestDeps, seed: Seed, id: number, stepMs?: number): Promise<Call> {
  await callUntil(deps, seed, id, (call) => call.status === 'completed', stepMs)
  await until(
    async () => (await eventsOf(deps, id)).length > 0,
    () => deps.clock.advance(stepMs ?? 250),
  )
  return callOf(deps, seed, id)
}

/** Resolves when a transaction of this database waits for another's lock: the interleaving is there. */
export const someoneWaitsForLock = (deps: TestDeps): Promise<true> =>
  until(async () => {
    const { rows } = await sql<{ waits: boolean }>`
      select count(*) > 0 as waits from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(deps.db)
    return rows[0]?.waits === true
  })

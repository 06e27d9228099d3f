import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pino from 'pino'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { startDialer } from '../../calling/dialer/dialer.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { startSweeper } from '../../calling/dialer/sweeper.ts'
import { parseConfig } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { openDeps } from '../../open-deps.ts'
import { listCalls } from '../../queue/calls/get-calls.ts'
import { pauseCampaign } from '../../queue/campaigns/campaign-status.ts'
import {
  addContact,
  dialCall,
  getCall,
  listAttempts,
  listEvents,
  seedCall,
  toCaller,
} from '../support/calls.ts'
import { freshNumber } from '../support/factories.ts'
import { waitFor } from '../support/wait.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

const dayMs = 24 * 3_600_000
const systemDate = globalThis.Date

/** Shifts this process's clock: `new Date()` and `Date.now()` are off by `offsetMs`. */
function shiftDate(offsetMs: number): void {
  const shiftedNow = () => systemDate.now() + offsetMs
  globalThis.Date = new Proxy(systemDate, {
    construct: (target, args: unknown[]) =>
      args.length === 0 ? new target(shiftedNow()) : (Reflect.construct(target, args) as Date),
    get: (target, key) => (key === 'now' ? shiftedNow : (Reflect.get(target, key) as unknown)),
  })
}

describe.each([
  ['ten days ahead', 10 * dayMs],
  ['an hour behind', -dayMs / 24],
])('a process whose clock is %s', (_, offsetMs) => {
  let deps: Deps
  let close: () => Promise<void>
  beforeEach(async () => {
    shiftDate(offsetMs)
    const config = parseConfig({
      DATABASE_URL: world.database.url,
      SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
      RUNTIME_SECRET: 'runtime-secret-of-at-least-thirty-two-characters',
      SIMULATION_SPEED: '100',
      LOG_LEVEL: 'silent',
    })
    const opened = await openDeps({ config, log: pino({ level: 'silent' }), purpose: 'command' })
    deps = opened.deps
    close = opened.close
  })
  afterEach(async () => {
    await Promise.all(world.workers.splice(0).map((worker) => worker.stop()))
    globalThis.Date = systemDate
    await close()
  })

  const queue = async (phoneNumber: string, input = {}) => {
    const body = { phone_number: phoneNumber, campaign_id: world.seed.campaignId, ...input }
    return (await addContact(deps, toCaller(world.seed), body)).call.id
  }
  /** Makes a call due at an interval from the current time of the database's clock. */
  const setDue = (id: number, interval: string) =>
    sql`update call set due_at = clock_timestamp() + ${interval}::interval,
      next_attempt_at = clock_timestamp() + ${interval}::interval where id = ${id}`.execute(deps.db)
  const readCall = async (id: number) => getCall(world.deps, world.seed, id)
  const waitUntilCompleted = (id: number) =>
    waitFor(async () => (await readCall(id)).status === 'completed' && readCall(id))

  it("expires calls by the database's clock", async () => {
    await pauseCampaign(deps, world.seed.workspaceId, world.seed.campaignId)
    const recent = await queue(freshNumber())
    const overdue = await queue(freshNumber())
    await setDue(recent, '-6 days 23 hours 50 minutes')
    await setDue(overdue, '-7 days -10 minutes')
    world.workers.push(startSweeper(deps))
    expect(await waitUntilCompleted(overdue)).toMatchObject({ outcome: 'expired' })
    expect((await readCall(recent)).status).toBe('queued')
  })

  it("places calls when they're due by the database's clock, and saves that clock's times", async () => {
    const later = await queue(freshNumber(), { test: true })
    const due = await queue('+12025550100', { test: true })
    await setDue(later, '10 minutes')
    await setDue(due, '-1 second')
    world.workers.push(startDialer(deps))
    const call = await waitUntilCompleted(due)
    expect(call.outcome).toBe('answered')
    expect(call.duration_seconds).toBeGreaterThanOrEqual(0)
    const { rows } = await sql<{ ok: boolean }>`
      select bool_and(abs(extract(epoch from at - clock_timestamp())) < 120) as ok
      from call cross join unnest(array[queued_at, answered_at, ended_at]) at where id = ${due}`.execute(
      deps.db,
    )
    expect(rows).toEqual([{ ok: true }])
    expect(await listAttempts(world.deps, later)).toEqual([])
  })
})

describe('a call whose times are in the wrong order', () => {
  const queueOne = () => seedCall(world.deps, world.seed, freshNumber())

  it('is completed with a duration of 0, and gets its event', async () => {
    const { id } = await queueOne()
    const attempt = await dialCall(world.deps, world.seed, id)
    const answeredAt = new Date(world.deps.clock.now().getTime() + dayMs)
    const result = { ...emptyResult('answered', 'agent_hung_up'), answeredAt, analysis: null }
    expect(await finishAttempt(world.deps, attempt, result)).toBe('completed')
    expect(await getCall(world.deps, world.seed, id)).toMatchObject({
      status: 'completed',
      duration_seconds: 0,
    })
    expect(await listEvents(world.deps, id)).toHaveLength(1)
  })

  it('is shown with a duration of 0 if the stored duration is negative', async () => {
    const { id } = await queueOne()
    await world.deps.db.updateTable('call').set({ duration_seconds: -3598 }).where('id', '=', id).execute()
    const { items } = await listCalls(world.deps, toCaller(world.seed), { limit: 50, offset: 0 })
    expect(items.find((call) => call.id === id)).toMatchObject({ duration_seconds: 0 })
  })
})

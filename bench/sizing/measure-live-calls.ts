import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Bench } from '../row.ts'
import { addCampaigns, addQueuedCalls } from '../seeds/calls.ts'
import { analyze, type World } from '../world.ts'
import { takeReading } from './measure-calls.ts'

/** The cost of a call in progress while nothing happens in it. The worker renews its lease, and looks for its reports. */
export interface LiveCallCost {
  calls: number
  seconds: number
  /** Milliseconds of CPU time per call and second. */
  cpuMs: { worker: number; postgresql: number }
  /** Bytes of the write-ahead log per call and second. */
  walBytes: number
}

/** Measures calls of one worker that are in progress at an agent runtime. */
export async function measureLiveCalls(bench: Bench, calls: number, seconds: number): Promise<LiveCallCost> {
  const world = await bench.openWorld()
  const runtime = await bench.start('silent-runtime', {})
  const campaigns = await addCampaigns(world, { count: 10, status: 'active', maxConcurrentCalls: 50 })
  await addQueuedCalls(world, campaigns, calls)
  await analyze(world)
  const worker = await bench.start('server', {
    ...world.environment,
    ROLE: 'worker',
    TELEPHONY: 'http',
    RUNTIME_URL: `http://127.0.0.1:${runtime.port}`,
    RUNTIME_SIGNING_KEY: `whsec_${Buffer.alloc(32, 'k').toString('base64')}`,
  })
  while ((await countLiveCalls(world)) < calls) await setTimeout(250)
  const before = await takeReading(world, undefined, worker)
  await setTimeout(seconds * 1_000)
  const after = await takeReading(world, undefined, worker)
  const perCallSecond = (one: number, other: number) => (other - one) / calls / seconds
  return {
    calls,
    seconds,
    cpuMs: {
      worker: perCallSecond(before.cpu.worker, after.cpu.worker) * 1_000,
      postgresql: perCallSecond(before.cpu.postgresql, after.cpu.postgresql) * 1_000,
    },
    walBytes: Math.round(perCallSecond(before.wal, after.wal)),
  }
}

async function countLiveCalls({ owner }: World): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from call_attempt where ended_at is null`.execute(owner)
  return rows[0]?.count ?? 0
}

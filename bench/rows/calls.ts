import { sql } from 'kysely'
import { atLeast, type Row, takeTurns } from '../row.ts'
import { addCampaigns, addQueuedCalls, setStatus, waitForCalls } from '../seeds/calls.ts'
import { analyze, type World } from '../world.ts'

const maxConcurrentCalls = 100

export const calls: Row = {
  name: 'calls',
  run: async (bench) => {
    const { scale } = bench
    const world = await bench.openWorld()
    const options = { count: 10, maxConcurrentCalls }
    const ownCampaigns = await addCampaigns(world, { ...options, status: 'paused' })
    // These campaigns stay paused, so that the dialer leaves their calls to the peer.
    const peerCampaigns = await addCampaigns(world, { ...options, status: 'paused' })
    const callsPerRound = Math.ceil(scale.seconds * 500)
    const worker = { ...world.environment, ROLE: 'worker', SIMULATION_SPEED: '1000' }
    await bench.start('server', worker)
    const peer = await bench.start('bare-calls', {
      ...world.environment,
      BENCH_CAMPAIGN_IDS: JSON.stringify(peerCampaigns),
    })
    const ours = async () => {
      await addQueuedCalls(world, ownCampaigns, callsPerRound)
      await setStatus(world, ownCampaigns, 'active')
      await waitForCalls(world, ownCampaigns)
      await setStatus(world, ownCampaigns, 'paused')
      return measureLastEvents(world, callsPerRound)
    }
    const theirs = async () => {
      await addQueuedCalls(world, peerCampaigns, callsPerRound)
      return peer.work(60, 4)
    }
    for (const run of [ours, theirs]) await run()
    await analyze(world)
    for (const run of [ours, theirs]) await run()
    return [
      {
        label: 'Calls',
        what: 'simulated calls to busy contacts, from queued to completed',
        against:
          'the same rows written by a bare `pg` client: a claim of 50 calls, then one statement per call',
        unit: 'calls/s',
        rounds: await takeTurns(scale.rounds, ours, theirs),
        limit: atLeast(0.4),
      },
    ]
  },
}

/**
 * Returns the rate per second at which the last events were written. Leaves out the first and last 5%, because the dialer can
 * notice new calls up to a second late.
 */
async function measureLastEvents({ owner }: Pick<World, 'owner'>, count: number): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from
      percentile_disc(0.95) within group (order by created_at)
      - percentile_disc(0.05) within group (order by created_at))::float8 as seconds
    from (select created_at from event order by created_at desc limit ${count}) as last`.execute(owner)
  return (0.9 * count) / (rows[0]?.seconds ?? NaN)
}

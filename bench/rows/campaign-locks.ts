import { setTimeout as pause } from 'node:timers/promises'
import { lockCampaignForChange } from '../../backend/platform/db/locks.ts'
import { repeat } from '../processes/serve.ts'
import { atMost, type Row } from '../row.ts'
import { sendContact } from '../seeds/contacts.ts'
import { quantile } from '../statistics.ts'
import { analyze, type HttpClients, type World } from '../world.ts'

const processes = 4
const clientsOfEach = 8
/** Where this row's numbers start, in Washington, DC. They're lower than all other numbers. */
const firstNumber = 12_022_000_000

/** Measures how long a change of a campaign waits while four processes queue calls in the campaign as fast as they can. */
export const campaignLocks: Row = {
  name: 'campaign-locks',
  run: async (bench) => {
    const { rounds, seconds } = bench.scale
    const world = await bench.openWorld()
    const { demo } = world
    const clients: HttpClients[] = []
    for (let started = 0; started < processes; started += 1) {
      const { port } = await bench.start('server', { ...world.environment, ROLE: 'api' })
      clients.push(bench.openClients(port, clientsOfEach))
    }
    let last = firstNumber
    const load = (duration: number) =>
      Promise.all(
        clients.map((http) =>
          repeat(duration, clientsOfEach, async () => {
            last += 1
            await sendContact(http, demo, { phoneNumber: last, campaignId: demo.campaign_id })
          }),
        ),
      )
    await load(seconds)
    await analyze(world)
    const measure = async (mode: 'rules' | 'pause') => {
      const results: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const loading = load(seconds)
        results.push(quantile(await measureLocks(world, mode, seconds), 0.99))
        await loading
      }
      return results.map((ours) => ({ ours, peer: NaN }))
    }
    const what = `while ${processes} API processes add contacts to the campaign with ${processes * clientsOfEach} clients, 99 of 100`
    const common = { unit: 'ms', compare: 'ours' } as const
    return [
      {
        label: 'Lock for a pause',
        what: `until a pause has locked a campaign, ${what}`,
        rounds: await measure('pause'),
        limit: atMost(50),
        ...common,
      },
      {
        label: 'Lock for an edit',
        what: `until an edit or archiving has locked a campaign, ${what}`,
        rounds: await measure('rules'),
        limit: atMost(2_000),
        ...common,
      },
    ]
  },
}

/** Returns how long the statement of each lock took, in milliseconds. Each lock is released immediately. */
async function measureLocks(
  { owner, demo }: World,
  mode: 'rules' | 'pause',
  seconds: number,
): Promise<number[]> {
  const key = { workspaceId: demo.workspace_id, campaignId: demo.campaign_id }
  const end = performance.now() + seconds * 1_000
  const waits: number[] = []
  while (performance.now() < end) {
    await owner.transaction().execute(async (tx) => {
      const start = performance.now()
      await lockCampaignForChange(tx, key, mode)
      waits.push(performance.now() - start)
    })
    await pause(20)
  }
  return waits
}

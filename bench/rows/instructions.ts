import { sql } from 'kysely'
import { publishAgent, saveAgent } from '../../backend/queue/agents/agents.ts'
import { repeat } from '../processes/serve.ts'
import { atMost, type Row, type Scale, takeTurns } from '../row.ts'
import { createWorkspaces, type Target } from '../seeds/workspaces.ts'
import { median } from '../statistics.ts'
import type { World } from '../world.ts'
import { addCalls, capacity, claimIds, measureWith } from './claim.ts'
import { clients, postContact, warmUp } from './contacts.ts'

/** Where this row's numbers start. No seed has numbers with this area code. */
const firstNumber = 13_123_000_000

/** Instructions of 8 KB. */
const longInstructions = 'Ask if they still need a quote, and find a day. '.repeat(171).slice(0, 8_192)

/** Measures what an agent's instructions cost the queue: the same work with 8 KB of instructions and without any. */
export const instructions: Row = {
  name: 'instructions',
  run: async (bench) => {
    const { scale } = bench
    const world = await bench.openWorld()
    const { port } = await bench.start('server', { ...world.environment, ROLE: 'api' })
    const http = bench.openClients(port, clients)
    const [long, none] = await createWorkspaces(world, 2)
    if (long === undefined || none === undefined) throw new Error('a workspace is missing')
    await publishInstructions(world, long.workspace_id, [longInstructions])
    await publishInstructions(world, none.workspace_id, [''])
    let last = firstNumber
    const post = (target: Target) => () =>
      repeat(scale.seconds, clients, () => postContact(http, world, (last += 1), target))
    const [ours, peer] = [post(long), post(none)]
    await warmUp(world, [ours, peer])
    const contacts = await takeTurns(scale.rounds, ours, peer)
    return [
      {
        label: 'Contacts with long instructions',
        what: 'the time of a `POST /contacts/`, 32 clients, new numbers, of a campaign whose agent has 8 KB of instructions',
        against: 'the same without instructions',
        unit: 'ms',
        rounds: contacts.map((round) => ({ ours: toMs(round.ours), peer: toMs(round.peer) })),
        limit: atMost(1.05),
      },
      {
        label: 'Claim with long instructions',
        what: `a claim of ${capacity} calls of an agent that has 8 KB of instructions, p50`,
        against: 'the same without instructions',
        unit: 'ms',
        rounds: await compareClaims(await bench.openWorld(), scale),
        limit: atMost(1.05),
      },
    ]
  },
}

const toMs = (perSecond: number): number => (1_000 * clients) / perSecond

async function compareClaims(world: World, { rounds, claims }: Scale) {
  const { owner, demo, deps } = world
  const queue = await addCalls({ world, open: [], blocked: [] }, 20, 20_000)
  await publishInstructions(world, demo.workspace_id, ['', longInstructions])
  const measure = (age: number) => async () => {
    await sql`update agent set version = newest_version - ${age}::int where workspace_id = ${demo.workspace_id}`.execute(
      owner,
    )
    return median(await measureWith(queue, claims, capacity, () => claimIds(deps, capacity)))
  }
  const [ours, peer] = [measure(0), measure(1)]
  for (const run of [ours, peer]) await run()
  return takeTurns(rounds, ours, peer)
}

/** Publishes versions with these instructions, one after another, for each agent of a workspace. */
async function publishInstructions(
  { deps }: World,
  workspaceId: number,
  versions: readonly string[],
): Promise<void> {
  const agents = await deps.db
    .selectFrom('agent')
    .select(['id', 'name', 'language'])
    .where('workspace_id', '=', workspaceId)
    .execute()
  for (const { id, ...fields } of agents)
    for (const text of versions) {
      await saveAgent(deps, workspaceId, id, { ...fields, greeting: 'Hello.', instructions: text }, null)
      await publishAgent(deps, workspaceId, id)
    }
}

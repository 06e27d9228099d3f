import { repeat } from '../processes/serve.ts'
import { atLeast, type Bench, type Row, takeTurns } from '../row.ts'
import { analyze, type HttpClients, type World } from '../world.ts'

const clients = 32
/** New numbers of the service and of the peer. Both are in Washington, DC. */
const firstNumbers = { ours: 12_022_000_000, peer: 12_025_000_000 }

export const contacts: Row = {
  name: 'contacts',
  run: async (bench) => {
    const { scale } = bench
    const world = await bench.openWorld()
    const api = await startApi(bench, world)
    const peer = await bench.start('bare-contacts', {
      ...world.environment,
      BENCH_CAMPAIGN_ID: String(world.demo.campaign_id),
      BENCH_WORKSPACE_ID: String(world.demo.workspace_id),
      BENCH_API_KEY: world.demo.api_key,
      BENCH_FIRST_NUMBER: String(firstNumbers.peer),
    })
    let last = firstNumbers.ours
    const ours = () => repeat(scale.seconds, clients, () => postContact(api, world, (last += 1), 201))
    const theirs = () => peer.work(scale.seconds, 16)
    await warmUp(world, [ours, theirs])
    return [
      {
        label: 'New contacts',
        what: '`POST /contacts/`, 32 clients, new numbers',
        against: 'the same SQL, one request per statement, by a bare `pg` client with 16 connections',
        unit: 'requests/s',
        rounds: await takeTurns(scale.rounds, ours, theirs),
        limit: atLeast(0.6),
      },
    ]
  },
}

export const knownContacts: Row = {
  name: 'known-contacts',
  run: async (bench) => {
    const { scale } = bench
    const world = await bench.openWorld()
    const api = await startApi(bench, world)
    let last = firstNumbers.ours
    let repeated = firstNumbers.ours
    const postNew = () => repeat(scale.seconds, clients, () => postContact(api, world, (last += 1), 201))
    const postKnown = () =>
      repeat(scale.seconds, clients, () => {
        // Starts over only after all of them, so that no contact is in two requests at a time.
        repeated = repeated < last ? repeated + 1 : firstNumbers.ours + 1
        return postContact(api, world, repeated, 200)
      })
    await warmUp(world, [postNew, postKnown])
    return [
      {
        label: 'Known contacts',
        what: '`POST /contacts/`, 32 clients, known contacts that are already queued',
        against: 'the same with new numbers',
        unit: 'requests/s',
        rounds: await takeTurns(scale.rounds, postKnown, postNew),
        limit: atLeast(0.8),
      },
    ]
  },
}

async function startApi(bench: Bench, world: World): Promise<HttpClients> {
  const { port } = await bench.start('server', { ...world.environment, ROLE: 'api' })
  return bench.openClients(port, clients)
}

async function postContact(
  api: HttpClients,
  { demo }: World,
  phoneNumber: number,
  expectedStatus: 200 | 201,
): Promise<undefined> {
  const headers = { authorization: `Bearer ${demo.api_key}`, 'content-type': 'application/json' }
  const body = { phone_number: `+${phoneNumber}`, campaign_id: demo.campaign_id, first_name: 'Maya' }
  const request = { method: 'POST', path: '/api/public/v1/contacts/', headers } as const
  await api.send({ ...request, body: JSON.stringify(body) }, expectedStatus)
}

/** Runs everything twice: after the first time, plans that were cached for empty tables can be replaced. */
async function warmUp(world: World, subjects: (() => Promise<number>)[]): Promise<void> {
  for (const run of subjects) await run()
  await analyze(world)
  for (const run of subjects) await run()
}

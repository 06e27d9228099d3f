import { repeat } from '../processes/serve.ts'
import { atLeast, type Bench, type Row, takeTurns } from '../row.ts'
import { addContacts, sendContact } from '../seeds/contacts.ts'
import { createWorkspaces, type Target } from '../seeds/workspaces.ts'
import { analyze, type HttpClients, type World } from '../world.ts'

export const clients = 32
const workspaces = 50
/**
 * The first numbers, all in Washington, DC: for new contacts of the service and the peer, and for the two kinds of known
 * contacts.
 */
const firstNumbers = {
  ours: 12_022_000_000,
  peer: 12_025_000_000,
  known: 12_027_000_000,
  ownZone: 12_028_000_000,
}
/** A rate that one API process can't reach. A round ends early if it runs out of contacts. */
const maxContactsPerSecond = 10_000

export const contacts: Row = {
  name: 'contacts',
  run: async (bench) => {
    const { scale } = bench
    const world = await bench.openWorld()
    const { port, http } = await startApi(bench, world)
    const peer = await bench.start('bare-contacts', {
      ...world.environment,
      BENCH_CAMPAIGN_ID: String(world.demo.campaign_id),
      BENCH_WORKSPACE_ID: String(world.demo.workspace_id),
      BENCH_API_KEY: world.demo.api_key,
      BENCH_FIRST_NUMBER: String(firstNumbers.peer),
    })
    let last = firstNumbers.ours
    const ours = () => repeat(scale.seconds, clients, () => postContact(http, world, (last += 1)))
    const theirs = () => peer.work(scale.seconds, 16)
    const measure = async () => {
      await warmUp(world, [ours, theirs])
      return takeTurns(scale.rounds, ours, theirs)
    }
    const what = '`POST /contacts/`, 32 clients, new numbers'
    const against =
      'the same statements, one request per transaction, by a bare `pg` client with 16 connections'
    const unit = 'requests/s'
    const alone = await measure()
    const targets = [world.demo, ...(await createWorkspaces(world, workspaces - 1))]
    const inTurns = () =>
      repeat(scale.seconds, clients, () => postContact(http, world, (last += 1), targets[last % workspaces]))
    await warmUp(world, [inTurns])
    const ofWorkspaces = await takeTurns(scale.rounds, inTurns, ours)
    await bench.start('server', {
      ...world.environment,
      ROLE: 'worker',
      SIMULATION_SPEED: '1000',
      INTERNAL_URL: `http://127.0.0.1:${port}`,
    })
    const duringCalls = await measure()
    return [
      { label: 'New contacts', what, against, unit, rounds: alone, limit: atLeast(0.6) },
      {
        label: 'New contacts of fifty workspaces',
        what: `\`POST /contacts/\`, ${clients} clients, new numbers of ${workspaces} workspaces in turn`,
        against: 'the same with one workspace',
        unit,
        rounds: ofWorkspaces,
      },
      {
        label: 'New contacts during calls',
        what: `${what}, while a worker calls the contacts`,
        against: `${against}, while the worker does the same`,
        unit,
        rounds: duringCalls,
      },
    ]
  },
}

export const knownContacts: Row = {
  name: 'known-contacts',
  run: async (bench) => {
    const { scale } = bench
    const world = await bench.openWorld()
    const { http } = await startApi(bench, world)
    let last = firstNumbers.ours
    const postNew = () => repeat(scale.seconds, clients, () => postContact(http, world, (last += 1)))
    const postKnown = postKnownFrom(firstNumbers.known, null)
    // These contacts have another time zone than their numbers, so the call must be planned again.
    const postOwnZone = postKnownFrom(firstNumbers.ownZone, 'America/Chicago')
    await warmUp(world, [postNew, postKnown, postOwnZone])
    const common = { against: 'the same with new numbers', unit: 'requests/s' }
    return [
      {
        label: 'Known contacts',
        what: '`POST /contacts/`, 32 clients, known contacts without an open call',
        rounds: await takeTurns(scale.rounds, postKnown, postNew),
        limit: atLeast(0.8),
        ...common,
      },
      {
        label: 'Contacts with a time zone',
        what: '`POST /contacts/`, 32 clients, known contacts with their own time zone',
        rounds: await takeTurns(scale.rounds, postOwnZone, postNew),
        ...common,
      },
    ]

    /** Returns a function that does a round: it adds contacts, and then posts each of them once, which queues a call. */
    function postKnownFrom(firstNumber: number, timeZone: string | null): () => Promise<number> {
      const count = Math.ceil(scale.seconds * maxContactsPerSecond)
      let added = firstNumber
      return async () => {
        await addContacts(world, { firstNumber: added, count, timeZone })
        let next = added
        added += count
        return repeat(scale.seconds, clients, () =>
          next < added ? postContact(http, world, next++) : Promise.resolve(0),
        )
      }
    }
  },
}

async function startApi(bench: Bench, world: World): Promise<{ port: number; http: HttpClients }> {
  const { port } = await bench.start('server', { ...world.environment, ROLE: 'api' })
  return { port, http: bench.openClients(port, clients) }
}

/** Adds a contact and queues its call. */
export async function postContact(
  http: HttpClients,
  { demo }: World,
  phoneNumber: number,
  target: Target & { hasConsent?: boolean } = demo,
): Promise<undefined> {
  const { campaign_id: campaignId, hasConsent } = target
  await sendContact(http, target, { phoneNumber, campaignId, ...(hasConsent === true && { hasConsent }) })
}

/** Runs each function twice. In between, replaces the plans that were cached for empty tables. */
export async function warmUp(world: World, subjects: (() => Promise<number>)[]): Promise<void> {
  for (const run of subjects) await run()
  await analyze(world)
  for (const run of subjects) await run()
}

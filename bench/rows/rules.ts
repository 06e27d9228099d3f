import { sql } from 'kysely'
import type { Deps } from '../../backend/deps.ts'
import { type CallRules, noRules, setCallRules } from '../../backend/queue/rules/call-rules.ts'
import { repeat } from '../processes/serve.ts'
import { atLeast, atMost, type Row, takeTurns } from '../row.ts'
import { createWorkspaces, type Target } from '../seeds/workspaces.ts'
import { median } from '../statistics.ts'
import { analyze, type World } from '../world.ts'
import { addCalls, capacity, claimIds, measureWith } from './claim.ts'
import { clients, postContact, warmUp } from './contacts.ts'

/** Where this row's numbers start. No seed has numbers with this area code. */
const firstNumber = 13_122_000_000

/** The highest possible limits. No round reaches them. */
const limits = {
  maxAttemptsPerDay: 10,
  maxAttemptsPer30Days: 30,
  maxAttemptsPerOwnNumber: 10_000,
  maxMinutesPerMonth: 1_000_000,
}
const on: CallRules = {
  ...noRules,
  ...limits,
  countries: ['US'],
  hoursByLaw: true,
  closedDates: ['2000-01-01'],
  consentRequired: 'written',
  consentMaxAgeDays: 365,
}

/** Measures the cost of rules: the same work in a workspace with rules and in a workspace without. */
export const rules: Row = {
  name: 'rules',
  run: async (bench) => {
    const { scale } = bench
    const world = await bench.openWorld()
    const real = { TELEPHONY: 'http', RUNTIME_URL: 'http://127.0.0.1:9', RUNTIME_SIGNING_KEY: signingKey }
    const { port } = await bench.start('server', { ...world.environment, ...real, ROLE: 'api' })
    const http = bench.openClients(port, clients)
    const [ruled, free] = await createWorkspaces(world, 2)
    if (ruled === undefined || free === undefined) throw new Error('a workspace is missing')
    await setRules(world, ruled.workspace_id, on)
    await setRules(world, free.workspace_id, noRules)
    let last = firstNumber
    const post = (target: Target) => () =>
      repeat(scale.seconds, clients, () =>
        postContact(http, world, (last += 1), { ...target, hasConsent: true }),
      )
    const [ours, peer] = [post(ruled), post(free)]
    await warmUp(world, [ours, peer])
    const contacts = await takeTurns(scale.rounds, ours, peer)
    return [
      {
        label: 'Contacts with rules',
        what: '`POST /contacts/`, 32 clients, new numbers, with their consent, of a workspace with all rules',
        against: 'the same of a workspace without rules',
        unit: 'requests/s',
        rounds: contacts,
        limit: atLeast(0.95),
      },
      {
        label: 'Claim with rules',
        what: `a claim of ${capacity} calls of a workspace with all rules but countries and hours by law, p50`,
        against: 'the same of a workspace without rules',
        unit: 'ms',
        rounds: await compareClaims(await bench.openWorld(), scale),
        limit: atMost(1.05),
      },
    ]
  },
}

const signingKey = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

/** Measures claims in a workspace with and without rules. The rules allow calls at any time to all of the seeds' numbers. */
async function compareClaims(world: World, { rounds, claims }: { rounds: number; claims: number }) {
  const { deps, demo } = world
  const real: Deps = { ...deps, config: { ...deps.config, telephony: 'http' } }
  const queue = await addCalls({ world, open: [], blocked: [] }, 20, 20_000)
  await sql`
    update contact set consent_source = 'form', consent_at = now(), consent_kind = 'written'`.execute(
    world.owner,
  )
  await analyze(world)
  const measure = (callRules: CallRules) => async () => {
    await setRules(world, demo.workspace_id, callRules)
    await forgetCalls(world)
    return median(await measureWith(queue, claims, capacity, () => claimIds(real, capacity)))
  }
  const [ours, peer] = [measure({ ...on, countries: null, hoursByLaw: false }), measure(noRules)]
  for (const run of [ours, peer]) await run()
  return takeTurns(rounds, ours, peer)
}

/** Resets the use of limits, so that calls of earlier rounds don't count. */
async function forgetCalls({ owner }: World): Promise<void> {
  await sql`update limit_use set used = 0`.execute(owner)
  await sql`delete from number_use`.execute(owner)
}

const setRules = ({ deps }: World, workspaceId: number, callRules: CallRules): Promise<void> =>
  setCallRules(deps, workspaceId, callRules, { kind: 'member', id: 1 })

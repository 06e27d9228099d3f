import { createApp } from '../backend/app.ts'
import { measurePage, signIn } from './dashboard/browse.ts'
import { seed, type Seeded } from './dashboard/seed.ts'
import { median } from './statistics.ts'
import { openWorld } from './world.ts'

/**
 * The pages that `npm run bench:dashboard` opens over HTTP. It alternates between a workspace with 1,000 calls and one with
 * 100,000, and reports the median times. Both workspaces are in a temporary database.
 */
const pages: [string, (workspace: Seeded) => string][] = [
  ['overview', () => '/overview'],
  ['calls', () => '/calls'],
  ['calls, halfway down', ({ callId }) => `/calls?before=${callId}`],
  ['waiting calls', () => '/calls?status=queued'],
  ['a rare outcome', () => '/calls?outcome=expired'],
  ['a campaign', ({ campaignId }) => `/calls?campaign=${campaignId}`],
  ['a campaign and an outcome', ({ campaignId }) => `/calls?campaign=${campaignId}&outcome=busy`],
  ['an agent', ({ agentId }) => `/calls?agent=${agentId}`],
  ['test calls', () => '/calls?kind=test'],
  ['a day', ({ day }) => `/calls?from=${day}&to=${day}`],
  ['a day and an outcome', ({ day }) => `/calls?from=${day}&to=${day}&outcome=busy`],
  ['search: a number', () => '/calls?search=%28202%29+200-0029'],
  ['search: start of a number', () => '/calls?search=202+200'],
  ['search: start of a last name', () => '/calls?search=c4ca42'],
  ['search: a common first name', () => '/calls?search=maya'],
  ['search: both names', () => '/calls?search=noor+c4c'],
  ['search: an ID', ({ callId }) => `/calls?search=%23${callId}`],
  ['search: no match', () => '/calls?search=zebedee'],
  ['search: a name and an outcome', () => '/calls?search=maya&outcome=expired'],
  ['one call', ({ callId }) => `/calls/${callId}`],
  ['campaigns', () => '/campaigns'],
  ['one campaign', ({ campaignId }) => `/campaigns/${campaignId}`],
]

const rounds = Number(process.env.ROUNDS ?? 25)
const world = await openWorld()
const app = await createApp(world.deps)
try {
  const fewCalls = await seed(world, 1_000)
  const manyCalls = await seed(world, 100_000)
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const subjects = [
    { of: fewCalls, browser: await signIn(origin, fewCalls) },
    { of: manyCalls, browser: await signIn(origin, manyCalls) },
  ] as const
  const rows: string[] = []
  for (const [name, address] of pages) {
    const times: [number[], number[]] = [[], []]
    for (let round = -5; round < rounds; round += 1) {
      for (const [index, { of: workspace, browser }] of subjects.entries()) {
        const durationMs = await measurePage(
          browser,
          `${origin}/w/${workspace.workspaceId}${address(workspace)}`,
        )
        if (round >= 0) times[index]?.push(durationMs)
      }
    }
    const [small, large] = times.map(median) as [number, number]
    rows.push(`| ${name} | ${small.toFixed(1)} ms | ${large.toFixed(1)} ms | ${(large / small).toFixed(2)} |`)
  }
  const head = ['| | 1,000 calls | 100,000 calls | ratio |', '| --- | --- | --- | --- |']
  process.stdout.write(`${[...head, ...rows].join('\n')}\n`)
} finally {
  await app.close()
  await world.close()
}

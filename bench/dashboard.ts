import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import { createApp } from '../backend/app.ts'
import { parseConfig } from '../backend/config.ts'
import { roles } from '../backend/db/roles.ts'
import { openDeps } from '../backend/open-deps.ts'
import { type Browser, createBrowser } from '../support/browser.ts'
import { password, seed, type Seeded } from './dashboard/seed.ts'

/**
 * The pages that `npm run bench:dashboard` opens over HTTP. It alternates between a workspace with 1,000 calls and one
 * with 100,000, and reports median clock times. Both workspaces are in a temporary database.
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
]

const rounds = Number(process.env.ROUNDS ?? 25)
const dataDir = await mkdtemp(path.join(tmpdir(), 'outdial-bench-'))
const config = parseConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
const { deps, close } = await openDeps({ config, log: pino({ level: 'silent' }), purpose: 'service' })
const app = await createApp(deps)
try {
  const fewCalls = await seed(deps, 1_000)
  const manyCalls = await seed(deps, 100_000)
  await deps.db.connection().execute(async (connection) => {
    await sql`reset role`.execute(connection) // the service's role can't analyze tables
    await sql`vacuum analyze`.execute(connection)
    await sql`set role ${sql.id(roles.service)}`.execute(connection)
  })
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
  await close()
  await rm(dataDir, { recursive: true, force: true })
}

async function signIn(origin: string, { email }: Seeded): Promise<Browser> {
  const browser = createBrowser()
  const { page } = await browser.open(`${origin}/sign-in`)
  await browser.press(page, 'Sign in', { email, password })
  return browser
}

async function measurePage(browser: Browser, address: string): Promise<number> {
  const startedAt = performance.now()
  const { page } = await browser.open(address)
  if (page.status !== 200) throw new Error(`${address} returned ${page.status}: ${page.text}`)
  return performance.now() - startedAt
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { type Browser, createBrowser } from '../support/browser.ts'
import { inputs } from './input/worst-inputs.ts'

/**
 * `npm run bench:input` sends the worst input of each kind from one workspace, two requests at a time. Meanwhile, it measures
 * how fast `/healthz` responds, and how long a call of another workspace takes from the request to its end. The service runs as
 * with `npm start`, in one process with a temporary database.
 */
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
let lastNumber = 2_570_000
const projectRoot = fileURLToPath(new URL('..', import.meta.url))
const dataDir = await mkdtemp(path.join(tmpdir(), 'outdial-bench-'))
const service = spawn(process.execPath, ['scripts/start.mjs'], {
  cwd: projectRoot,
  env: {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    SIMULATION_SPEED: '1000',
    RATE_LIMIT_PER_MINUTE: '1000000',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const origin = await findAddress(service)
  const Demo = z.object({
    email: z.string(),
    password: z.string(),
    api_key: z.string(),
    campaign_id: z.number(),
  })
  const demo = Demo.parse(JSON.parse(await readFile(path.join(dataDir, 'demo.json'), 'utf8')))
  const attacker = await openAttacker(origin, demo)

  const head = [
    'Input of another workspace',
    'Sent',
    'Responses',
    '/healthz p50',
    'p99',
    'max',
    'Call p50',
    'max',
  ]
  const rows = [head, head.map(() => '---'), await measure('nothing', async () => 0, 0)]
  for (const { name, send, maxPosts } of inputs)
    rows.push(await measure(name, () => send(attacker), maxPosts))
  process.stdout.write(`${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`)

  /** Sends an input repeatedly, and measures what other users notice meanwhile, in milliseconds. */
  async function measure(name: string, send: () => Promise<number>, maxPosts: number): Promise<string[]> {
    const endAt = performance.now() + seconds * 1_000
    const repeat = async (work: () => Promise<void>) => {
      while (performance.now() < endAt) await work()
    }
    const statuses = new Map<number, number>()
    let sent = 0
    const attack = () =>
      repeat(async () => {
        if (sent >= maxPosts) return delay(50)
        sent += 1
        const status = await send()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      })
    const health: number[] = []
    const calls: number[] = []
    await Promise.all([
      attack(),
      attack(),
      repeat(async () => {
        health.push(await time(() => fetch(`${origin}/healthz`).then((response) => response.text())))
        await delay(20)
      }),
      repeat(async () => {
        calls.push(await time(() => makeCall(origin, demo)))
      }),
    ])
    const responses = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
    const format = (values: number[], share: number) => percentile(values, share).toFixed(0)
    return [
      ...[name, String(sent), responses || '–'],
      ...[format(health, 0.5), format(health, 0.99), format(health, 1)],
      ...[format(calls, 0.5), format(calls, 1)],
    ]
  }
} finally {
  service.kill('SIGTERM')
  await once(service, 'exit')
  await rm(dataDir, { recursive: true, force: true })
}

/** Returns the URL that the service prints when it's ready. */
async function findAddress({ stdout }: Pick<ChildProcess, 'stdout'>): Promise<string> {
  if (stdout === null) throw new Error('the service has no output')
  const lines = createInterface(stdout)
  for await (const line of lines) {
    const [, address] = /"url":"([^"]+)","msg":"Outdial is ready"/.exec(line) ?? []
    if (address === undefined) continue
    stdout.resume()
    return address
  }
  throw new Error('the service ended before it was ready')
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Queues a call in the demo workspace, and waits until it's completed. */
async function makeCall(origin: string, demo: { api_key: string; campaign_id: number }): Promise<void> {
  const headers = { authorization: `Bearer ${demo.api_key}`, 'content-type': 'application/json' }
  const api = `${origin}/api/public/v1`
  lastNumber += 1
  const body = JSON.stringify({ phone_number: `+1202${lastNumber}`, campaign_id: demo.campaign_id })
  const Added = z.object({ call: z.object({ id: z.number() }) })
  const queued = Added.parse(
    await (await fetch(`${api}/contacts/`, { method: 'POST', headers, body })).json(),
  )
  const Call = z.object({ status: z.string() })
  for (;;) {
    const call = Call.parse(await (await fetch(`${api}/calls/${queued.call.id}/`, { headers })).json())
    if (call.status === 'completed') return
    await delay(20)
  }
}

/** Creates a second workspace with an API key, from which the inputs are sent. */
async function openAttacker(origin: string, demo: { email: string; password: string }) {
  const browser: Browser = createBrowser()
  const { page: signIn } = await browser.open(`${origin}/sign-in`)
  await browser.press(signIn, 'Sign in', { email: demo.email, password: demo.password })
  const { page: form } = await browser.open(`${origin}/workspaces/new`)
  const fields = { name: 'Attacker', country: 'US', time_zone: 'America/New_York' }
  const { page: overview } = await browser.press(form, 'Create workspace', fields)
  const [base = ''] = /^.*\/w\/\d+/.exec(overview.url) ?? []
  const { page: keyForm } = await browser.open(`${base}/settings/api-keys/new`)
  const { page: created } = await browser.press(keyForm, 'Create key', { name: 'Attack' })
  const [apiKey] = /odk_[\w-]+/.exec(created.html) ?? []
  if (apiKey === undefined) throw new Error(`no API key in ${created.text}`)
  return { browser, base, api: `${origin}/api/public/v1`, apiKey }
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

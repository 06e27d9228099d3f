import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import { mountRoutes } from '../backend/api/mount-routes.ts'
import { apiPrefix, routes } from '../backend/api/routes.ts'
import { parseConfig } from '../backend/config.ts'
import type { Deps } from '../backend/deps.ts'
import { createLog } from '../backend/log.ts'
import { openDeps } from '../backend/open-deps.ts'
import { registerScope } from '../backend/platform/http/register-scope.ts'
import { getRequestId } from '../backend/platform/http/request-log.ts'
import { prepareDemo } from '../backend/service/demo/prepare-demo.ts'

/**
 * `npm run bench:api-log` measures how many `POST /contacts/` one process handles per second, with and without the API log.
 * Short runs with and without the log alternate on one database, so that the database's growth affects both. Requests don't
 * use a socket, because the client's cost would be the same in both cases. Nothing dials the calls.
 */
/** The seconds of each run. They're few, so that other programs disturb both runs of a pair equally. */
const seconds = Number(process.env.BENCH_SECONDS ?? 1)
const pairs = Number(process.env.BENCH_PAIRS ?? 40)
const clients = 16
let lastNumber = 3_200_000

const dataDir = await mkdtemp(path.join(tmpdir(), 'outdial-bench-'))
const config = parseConfig({ DATA_DIR: dataDir, RATE_LIMIT_PER_MINUTE: '1000000', LOG_LEVEL: 'silent' })
const { deps, close } = await openDeps({ config, log: await createLog('silent'), purpose: 'service' })
try {
  const demo = await prepareDemo(deps, dataDir)
  if (demo === undefined) throw new Error('no demo workspace')
  const send = (api: FastifyInstance) => postContact(api, demo)
  await measure(send)
} finally {
  await close()
  await rm(dataDir, { recursive: true, force: true })
}

async function measure(send: (api: FastifyInstance) => Promise<void>): Promise<void> {
  const withLog = await createApi(deps, true)
  const withoutLog = await createApi(deps, false)
  const run = async (api: FastifyInstance) => {
    const cpu = process.cpuUsage()
    const endAt = performance.now() + seconds * 1_000
    let count = 0
    const client = async () => {
      while (performance.now() < endAt) {
        await send(api)
        count += 1
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    const { user, system } = process.cpuUsage(cpu)
    return { rate: count / seconds, cpuMs: (user + system) / 1_000 / count }
  }
  for (const api of [withLog, withoutLog]) await run(api) // warm up

  const rows: Record<'on' | 'off', Awaited<ReturnType<typeof run>>>[] = []
  for (let pair = 0; pair < pairs; pair += 1) {
    // Alternates which API runs first.
    const first = pair % 2 === 0 ? withLog : withoutLog
    const one = await run(first)
    const other = await run(first === withLog ? withoutLog : withLog)
    const [on, off] = first === withLog ? [one, other] : [other, one]
    rows.push({ on, off })
  }
  await withLog.close()
  await withoutLog.close()
  const quantile = (values: number[], share: number) =>
    values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) * share)] ?? NaN
  const median = (values: number[]) => quantile(values, 0.5)
  const ratios = rows.map(({ on, off }) => on.rate / off.rate)
  const columns = [
    ['', 'With the log', 'Without', 'Ratio (quartiles)'],
    [
      'Requests per second',
      median(rows.map(({ on }) => on.rate)).toFixed(0),
      median(rows.map(({ off }) => off.rate)).toFixed(0),
      [0.5, 0.25, 0.75].map((share) => quantile(ratios, share).toFixed(2)).join(' / '),
    ],
    [
      'CPU time per request (ms)',
      median(rows.map(({ on }) => on.cpuMs)).toFixed(3),
      median(rows.map(({ off }) => off.cpuMs)).toFixed(3),
      median(rows.map(({ on, off }) => on.cpuMs / off.cpuMs)).toFixed(2),
    ],
  ]
  const toLine = (cells: string[]) => `| ${cells.join(' | ')} |\n`
  const [head = [], ...lines] = columns
  for (const cells of [head, head.map(() => '---'), ...lines]) process.stdout.write(toLine(cells))
}

/** Creates the API's routes without a server. */
async function createApi(of: Deps, hasLog: boolean): Promise<FastifyInstance> {
  const app = Fastify({ genReqId: getRequestId })
  for (const name of ['caller', 'errorCode', 'errorFields']) app.decorateRequest(name, null)
  const mount = (api: FastifyInstance) =>
    hasLog ? mountRoutes(api, of, routes) : mountRoutes(api, of, routes, null)
  await registerScope(app, 'routes', mount, { prefix: apiPrefix })
  return app
}

async function postContact(
  api: FastifyInstance,
  demo: { api_key: string; campaign_id: number },
): Promise<void> {
  lastNumber += 1
  const { statusCode, body } = await api.inject({
    method: 'POST',
    url: `${apiPrefix}/contacts/`,
    headers: { authorization: `Bearer ${demo.api_key}` },
    payload: { phone_number: `+1202${lastNumber}`, campaign_id: demo.campaign_id, first_name: 'Maya' },
  })
  if (statusCode !== 201) throw new Error(`${statusCode} ${body}`)
}

import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Bench } from '../row.ts'
import { addCampaigns, setStatus, waitForCalls } from '../seeds/calls.ts'
import { analyze, type HttpClients, type Subject, type World } from '../world.ts'
import { listSiblings, measureCpuSeconds } from './cpu-time.ts'

/** The cost of a call, from `POST /contacts/` until its event is delivered. */
export interface CallCost {
  kind: 'unanswered' | 'answered'
  calls: number
  /** Milliseconds of CPU time per call, for all processes of a kind together. */
  cpuMs: { api: number; worker: number; postgresql: number }
  /** Bytes of the write-ahead log per call. */
  walBytes: number
  /** Bytes on the disk per call, by table, including indexes. Tables with less than 1 byte are left out. */
  tableBytes: Record<string, number>
  /** The length of a conversation's transcript as JSON, in characters. */
  transcriptCharacters: number
}

const clients = 32
/** The last four digits of a number, which decide if the simulated contact is busy or answers. */
const suffixes = { unanswered: '0102', answered: '0100' }

/** Area codes with 800 numbers each that have the same last four digits. */
const areaCodes = [
  ...[201, 202, 203, 205, 206, 207, 208, 209, 210, 212, 213, 214, 215, 216, 217],
  ...[218, 219, 224, 225, 228, 229, 231, 234, 239, 240, 248, 251, 252, 253, 254],
]

/** Measures calls to new contacts through one API process and one worker. All events go to one receiver. */
export async function measureCalls(bench: Bench, kind: CallCost['kind'], calls: number): Promise<CallCost> {
  const world = await bench.openWorld()
  const campaigns = await addCampaigns(world, { count: 10, status: 'paused', maxConcurrentCalls: 50 })
  const receiver = await bench.start('receiver', {})
  const api = await bench.start('server', { ...world.environment, ROLE: 'api' })
  const http = bench.openClients(api.port, clients)
  await subscribe(http, world, `http://127.0.0.1:${receiver.port}`)
  const worker = await bench.start('server', {
    ...world.environment,
    ROLE: 'worker',
    SIMULATION_SPEED: '1000',
    INTERNAL_URL: `http://127.0.0.1:${api.port}`,
  })
  const make = async (from: number, count: number) => {
    await setStatus(world, campaigns, 'paused')
    await queueCalls(http, world, { campaigns, suffix: suffixes[kind], from, count })
    await setStatus(world, campaigns, 'active')
    await waitForCalls(world, campaigns)
    await waitForDeliveries(world)
  }
  // Compiles the code and caches plans. Also adds rows, so that the following analysis of the tables finds some.
  const warmUp = Math.min(1_000, calls)
  await make(0, warmUp)
  await analyze(world)
  const before = await takeReading(world, api, worker)
  await make(warmUp, calls)
  const after = await takeReading(world, api, worker)

  const perCall = (one: number, other: number) => (other - one) / calls
  const tables = Object.entries(after.tables).map(
    ([table, bytes]) => [table, Math.round(perCall(before.tables[table] ?? 0, bytes))] as const,
  )
  return {
    kind,
    calls,
    cpuMs: {
      api: perCall(before.cpu.api, after.cpu.api) * 1_000,
      worker: perCall(before.cpu.worker, after.cpu.worker) * 1_000,
      postgresql: perCall(before.cpu.postgresql, after.cpu.postgresql) * 1_000,
    },
    walBytes: Math.round(perCall(before.wal, after.wal)),
    tableBytes: Object.fromEntries(
      tables.filter(([, bytes]) => bytes > 0).sort(([, one], [, other]) => other - one),
    ),
    transcriptCharacters: await measureTranscripts(world),
  }
}

async function subscribe(http: HttpClients, { demo }: World, targetUrl: string): Promise<void> {
  const headers = { authorization: `Bearer ${demo.api_key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ target_url: targetUrl, event: 'call.completed' })
  await http.send({ method: 'POST', path: '/api/public/v1/webhooks/subscribe', headers, body }, 201)
}

/** Queues calls as a Zap does: with a name, an email address, variables, and a deduplication key. */
async function queueCalls(
  http: HttpClients,
  { demo }: World,
  options: { campaigns: readonly number[]; suffix: string; from: number; count: number },
): Promise<void> {
  const { campaigns, suffix, from, count } = options
  let next = from
  const client = async () => {
    while (next < from + count) {
      const n = next++
      const body = JSON.stringify({
        campaign_id: campaigns[n % campaigns.length],
        phone_number: `+1${areaCodes[Math.floor(n / 800)]}${200 + (n % 800)}${suffix}`,
        first_name: 'Maya',
        last_name: `Jones ${n}`,
        email: `maya.jones.${n}@example.com`,
        external_id: `lead-${n}`,
        variables: { product: 'a roof inspection', city: 'Washington' },
        metadata: { source: 'website', form: 'Request a quote' },
      })
      const headers = {
        authorization: `Bearer ${demo.api_key}`,
        'content-type': 'application/json',
        'idempotency-key': String(n).padStart(64, '0'),
      }
      await http.send({ method: 'POST', path: '/api/public/v1/contacts/', headers, body }, 201)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
}

async function waitForDeliveries({ owner }: World): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ isOpen: boolean }>`
      select exists (select from call where analysis_until is not null)
        or exists (select from webhook_delivery where status = 'pending') as "isOpen"`.execute(owner)
    if (rows[0]?.isOpen !== true) return
    await setTimeout(250)
  }
}

interface Reading {
  cpu: CallCost['cpuMs']
  wal: number
  tables: Record<string, number>
}

export async function takeReading(
  { owner }: World,
  api: Subject | undefined,
  worker: Subject,
): Promise<Reading> {
  const { rows: backends } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(owner)
  const { rows: logs } = await sql<{ bytes: number }>`
    select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`.execute(owner)
  const { rows: tables } = await sql<{ name: string; bytes: number }>`
    select coalesce(parent.relname, relation.relname) as name, sum(pg_total_relation_size(relation.oid))::float8 as bytes
    from pg_class relation
    left join pg_inherits on inhrelid = relation.oid
    left join pg_class parent on parent.oid = inhparent
    where relation.relnamespace = 'public'::regnamespace and relation.relkind = 'r'
    group by 1`.execute(owner)
  return {
    cpu: {
      api: api === undefined ? 0 : measureCpuSeconds([api.pid]),
      worker: measureCpuSeconds([worker.pid]),
      postgresql: measureCpuSeconds(listSiblings(backends[0]?.pid ?? 0)),
    },
    wal: logs[0]?.bytes ?? NaN,
    tables: Object.fromEntries(tables.map(({ name, bytes }) => [name, bytes])),
  }
}

async function measureTranscripts({ owner }: World): Promise<number> {
  const { rows } = await sql<{ characters: number | null }>`
    select avg(length(transcript::text))::float8 as characters from call
    where status = 'completed' and transcript <> '[]' and not test`.execute(owner)
  return Math.round(rows[0]?.characters ?? 0)
}

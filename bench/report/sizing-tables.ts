import type { CallCost } from '../sizing/measure-calls.ts'
import type { LiveCallCost } from '../sizing/measure-live-calls.ts'
import { formatMachine, type Machine } from './machine.ts'
import type { Figures } from './summarize.ts'

/** The results of `npm run bench:sizing`. */
export interface SizingReport {
  machine: Machine
  unanswered: CallCost
  answered: CallCost
  live: LiveCallCost
}

/** The workload for which docs/guides/scale.md computes sizes. The page describes it. */
const workload = {
  /** How many hours of a day have calls. */
  hoursPerDay: 10,
  /** The calls of the busiest hour, divided by those of an average hour. */
  peak: 1.25,
  attemptsPerCall: 1.5,
  answeredShare: 0.3,
  answeredSeconds: 120,
  unansweredSeconds: 25,
  /** How busy a core is in the busiest hour. */
  utilization: 0.5,
}
/** The maximum number of calls per dialer: `concurrency` in backend/calling/dialer/dialer.ts. */
const callsPerWorker = 500
const callsPerDay = [100_000, 1_000_000, 10_000_000]

/** Groups of tables. The labels say with what a group grows, and how long its rows stay if they're deleted. */
const tableGroups: [label: string, tables: string[]][] = [
  ['calls and their attempts', ['call', 'call_attempt']],
  ['events and deliveries', ['event', 'webhook_delivery', 'delivery_attempt']],
  ['contacts, only if they are new', ['contact', 'contact_change']],
  ['tool calls, and what they save', ['tool_call', 'contact_note', 'spreadsheet_row']],
  ['responses to idempotency keys, for a day', ['idempotent_response']],
  ['the API log, for 14 days', ['api_request']],
]
const temporaryTables = ['idempotent_response', 'api_request']

/** Computes the cost of a call in the workload. A retried attempt costs as much as an unanswered call. */
function computeCallCost({ unanswered, answered, live }: SizingReport) {
  const { answeredShare, attemptsPerCall, answeredSeconds, unansweredSeconds } = workload
  const unansweredShare = attemptsPerCall - answeredShare
  const seconds = answeredShare * answeredSeconds + unansweredShare * unansweredSeconds
  const mix = (value: (cost: CallCost) => number) =>
    answeredShare * value(answered) + unansweredShare * value(unanswered)
  return {
    seconds,
    postgresqlMs: mix(({ cpuMs }) => cpuMs.postgresql) + seconds * live.cpuMs.postgresql,
    workerMs: mix(({ cpuMs }) => cpuMs.worker) + seconds * live.cpuMs.worker,
    apiMs: mix(({ cpuMs }) => cpuMs.api),
    walBytes: mix(({ walBytes }) => walBytes) + seconds * live.walBytes,
    diskBytes: answeredShare * permanentBytes(answered) + (1 - answeredShare) * permanentBytes(unanswered),
  }
}

const sumTables = ({ tableBytes }: CallCost, tables: readonly string[]): number =>
  tables.reduce((sum, table) => sum + (tableBytes[table] ?? 0), 0)

const permanentBytes = (cost: CallCost): number =>
  sumTables(
    cost,
    Object.keys(cost.tableBytes).filter((table) => !temporaryTables.includes(table)),
  )

/** Computes what an installation needs for `calls` calls per day. */
export function computeSize(report: SizingReport, calls: number) {
  const cost = computeCallCost(report)
  const averagePerSecond = calls / (workload.hoursPerDay * 3_600)
  const peakPerSecond = averagePerSecond * workload.peak
  const cores = (milliseconds: number) => (peakPerSecond * milliseconds) / 1_000 / workload.utilization
  const liveCalls = peakPerSecond * cost.seconds
  return {
    averagePerSecond,
    peakPerSecond,
    liveCalls,
    postgresqlCores: cores(cost.postgresqlMs),
    workerCores: cores(cost.workerMs),
    apiCores: cores(cost.apiMs),
    // Each process uses at most one core. One process is added, so that one can fail.
    workers: Math.ceil(Math.max(liveCalls / callsPerWorker, cores(cost.workerMs))) + 1,
    apis: Math.ceil(cores(cost.apiMs)) + 1,
    walBytesPerDay: calls * cost.walBytes,
    walBytesPerSecond: peakPerSecond * cost.walBytes,
    diskBytesPerMonth: 30 * calls * cost.diskBytes,
  }
}

/** Computes the calls per day that one core can handle if PostgreSQL and all of Outdial's processes share it. */
function computeCallsPerCore(report: SizingReport): number {
  const { postgresqlMs, workerMs, apiMs } = computeCallCost(report)
  const { hoursPerDay, peak, utilization } = workload
  return (hoursPerDay * 3_600_000 * utilization) / peak / (postgresqlMs + workerMs + apiMs)
}

/** Formats the tables of docs/guides/scale.md. The keys are the names of their markers on the page. */
export function formatSizing(
  report: SizingReport,
  performance: { scale: number; machine: Machine; figures: readonly Figures[] },
): Record<string, string> {
  return {
    costs: formatCosts(report),
    sizes: formatSizes(report),
    disk: formatDisk(report),
    throughput: formatThroughput(performance),
  }
}

function formatCosts({ machine, unanswered, answered, live }: SizingReport): string {
  const ms = (value: number) => `${formatNumber(value)} ms`
  const kb = (bytes: number) => `${formatNumber(bytes / 1_000)} KB`
  return [
    table(
      ['', "A call that isn't answered", 'An answered call', 'Each second of a call in progress'],
      [
        ['CPU time of PostgreSQL', ...[unanswered, answered, live].map(({ cpuMs }) => ms(cpuMs.postgresql))],
        ['CPU time of the worker', ...[unanswered, answered, live].map(({ cpuMs }) => ms(cpuMs.worker))],
        ['CPU time of the API process', ms(unanswered.cpuMs.api), ms(answered.cpuMs.api), '–'],
        ['write-ahead log', ...[unanswered, answered, live].map(({ walBytes }) => kb(walBytes))],
        ['disk that stays in use', kb(permanentBytes(unanswered)), kb(permanentBytes(answered)), '–'],
      ],
    ),
    `Measured with ${formatCount(unanswered.calls)} unanswered calls, ${formatCount(answered.calls)} answered calls, and ${live.calls} calls in progress for ${live.seconds} seconds, on this machine: ${formatMachine(machine)}.\n`,
  ].join('\n')
}

function formatSizes(report: SizingReport): string {
  const sizes = callsPerDay.map((calls) => computeSize(report, calls))
  const row = (label: string, format: (size: (typeof sizes)[number]) => string) => [
    label,
    ...sizes.map(format),
  ]
  const gb = (bytes: number) => `${formatNumber(bytes / 1e9)} GB`
  const { seconds, postgresqlMs, workerMs, apiMs } = computeCallCost(report)
  const sizeTable = table(
    ['Calls per day', ...callsPerDay.map(formatCount)],
    [
      row('calls per second, on average', (size) => formatNumber(size.averagePerSecond)),
      row('calls per second in the busiest hour', (size) => formatNumber(size.peakPerSecond)),
      row('calls in progress in the busiest hour', (size) => formatCount(Math.ceil(size.liveCalls))),
      row('cores for PostgreSQL', (size) => formatNumber(size.postgresqlCores)),
      row('cores for workers', (size) => formatNumber(size.workerCores)),
      row('cores for API processes', (size) => formatNumber(size.apiCores)),
      row('worker processes', (size) => String(size.workers)),
      row('API processes', (size) => String(size.apis)),
      row('database connections, with 20 for each process', (size) =>
        formatCount(22 * size.workers + 21 * size.apis),
      ),
      row('write-ahead log per day', (size) => gb(size.walBytesPerDay)),
      row(
        'write-ahead log in the busiest hour',
        (size) => `${formatNumber(size.walBytesPerSecond / 1e6)} MB/s`,
      ),
      row('disk per month', (size) => gb(size.diskBytesPerMonth)),
    ],
  )
  const milliseconds = [postgresqlMs, workerMs, apiMs].map(formatNumber)
  return [
    sizeTable,
    `One core that PostgreSQL and Outdial share is enough for about ${formatCount(Number(computeCallsPerCore(report).toPrecision(2)))} such calls a day. On average, a call is in progress for ${formatNumber(seconds)} seconds, and takes ${milliseconds[0]} ms of CPU time in PostgreSQL, ${milliseconds[1]} ms in a worker, and ${milliseconds[2]} ms in an API process.\n`,
  ].join('\n')
}

function formatDisk({ unanswered, answered }: SizingReport): string {
  const gb = (cost: CallCost, tables: readonly string[]) =>
    `${formatNumber(sumTables(cost, tables) / 1_000)} GB`
  const known = tableGroups.flatMap(([, tables]) => tables)
  const others = [
    ...new Set([unanswered, answered].flatMap(({ tableBytes }) => Object.keys(tableBytes))),
  ].filter((name) => !known.includes(name))
  const groups = others.length === 0 ? tableGroups : [...tableGroups, ['other tables', others] as const]
  return table(
    ['Disk per million calls, with indexes', 'Not answered', 'Answered'],
    groups.map(([label, tables]) => [
      `${label} (${tables.map((name) => `\`${name}\``).join(', ')})`,
      gb(unanswered, tables),
      gb(answered, tables),
    ]),
  )
}

/** The rows of docs/reference/performance.md about the throughput of one process of each kind. */
const throughputRows = ['New contacts', 'Calls', 'Webhook deliveries']

function formatThroughput({
  scale,
  machine,
  figures,
}: {
  scale: number
  machine: Machine
  figures: readonly Figures[]
}): string {
  const { hoursPerDay } = workload
  const found = throughputRows.map((label) => figures.find((each) => each.label === label))
  const rows = found.flatMap((each) =>
    each === undefined
      ? []
      : [
          [
            each.what,
            `${formatNumber(each.ours)} ${each.unit}`,
            formatNumber(each.ours / machine.cores),
            `${formatNumber(((each.ours / machine.cores) * hoursPerDay * 3_600) / 1e6)} million`,
          ],
        ],
  )
  const size = scale === 1 ? '' : ', in a quick check'
  return [
    table(
      ['What', `On ${machine.cores} cores`, 'Per core per second', `Per core in ${hoursPerDay} hours`],
      rows,
    ),
    `Measured on ${machine.date}, commit ${machine.commit}${size}.\n`,
  ].join('\n')
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')

const formatCount = (value: number): string => value.toLocaleString('en-US')

/** Formats two digits of a number below 100, and three of a larger number. */
const formatNumber = (value: number): string =>
  value >= 100 ? formatCount(Number(value.toPrecision(3))) : String(Number(value.toPrecision(2)))

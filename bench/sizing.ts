import { parseArgs } from 'node:util'
import { describeMachine } from './report/machine.ts'
import { saveSizing } from './report/save.ts'
import { runRow, toScale } from './row.ts'
import { type CallCost, measureCalls } from './sizing/measure-calls.ts'
import { type LiveCallCost, measureLiveCalls } from './sizing/measure-live-calls.ts'

/**
 * `npm run bench:sizing` measures the cost of a call: CPU time, write-ahead log, and disk. Unlike throughput, these depend
 * little on other programs on the machine. `-- --save` writes docs/reference/sizing.json and the tables of
 * docs/guides/scale.md. BENCH_SCALE below 1 makes the run shorter. Linux only.
 */
const { values } = parseArgs({ options: { save: { type: 'boolean' } } })
const scale = toScale(Number(process.env.BENCH_SCALE ?? 1))
if (!(scale.factor > 0 && scale.factor <= 1)) throw new Error('BENCH_SCALE must be above 0 and at most 1.')

// A signal exits the process normally, so that its exit handlers remove the temporary folders.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

/** How many calls a worker can have in progress: each of the 10 campaigns has at most 50. */
const liveCalls = Math.ceil(500 * scale.factor)
/** How many seconds the live calls are measured. Their leases are renewed several times in this time: every 7 seconds. */
const liveSeconds = Math.ceil(35 * scale.factor)

const machine = await describeMachine()
const calls: CallCost[] = []
const live: LiveCallCost[] = []
await runRow(
  {
    name: 'unanswered',
    run: async (bench) =>
      print(calls, await measureCalls(bench, 'unanswered', Math.ceil(20_000 * scale.factor))),
  },
  scale,
)
await runRow(
  {
    name: 'answered',
    run: async (bench) =>
      print(calls, await measureCalls(bench, 'answered', Math.ceil(4_000 * scale.factor))),
  },
  scale,
)
await runRow(
  { name: 'live', run: async (bench) => print(live, await measureLiveCalls(bench, liveCalls, liveSeconds)) },
  scale,
)
const [unanswered, answered] = calls
const [liveCall] = live
if (unanswered && answered && liveCall && values.save)
  await saveSizing({ machine, unanswered, answered, live: liveCall })

function print<Cost>(costs: Cost[], cost: Cost): [] {
  costs.push(cost)
  process.stdout.write(`${JSON.stringify(cost, null, 2)}\n`)
  return []
}

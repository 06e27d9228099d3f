import { parseArgs } from 'node:util'
import { formatLimit, formatResult, formatTable } from './report/format-table.ts'
import { describeMachine, formatMachine } from './report/machine.ts'
import { saveRun } from './report/save.ts'
import { type Figures, summarize } from './report/summarize.ts'
import { runRow, toScale } from './row.ts'
import { rows } from './rows.ts'

/**
 * `npm run bench` measures all rows and prints one table. `npm run bench -- NAME` measures one row.
 *
 * With `-- --save`, it also writes docs/reference/performance.md, its picture, and docs/reference/performance.json. Rows that
 * weren't measured or that failed keep their earlier results.
 *
 * BENCH_SCALE below 1 makes the run shorter. BENCH_FINISHED_CALLS adds finished calls to the large databases of the rows
 * `claim` and `lists`.
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { save: { type: 'boolean' } } })
const write = (text: string) => process.stdout.write(`${text}\n`)
const unknown = positionals.filter((name) => !rows.some((row) => row.name === name))
if (unknown.length > 0) {
  stop(`There's no row ${unknown.join(', ')}. The rows are: ${rows.map(({ name }) => name).join(', ')}.`)
}
const finishedCalls = Number(process.env.BENCH_FINISHED_CALLS ?? 0)
if (!Number.isInteger(finishedCalls) || finishedCalls < 0)
  stop('BENCH_FINISHED_CALLS must be a number of calls.')
if (values.save && finishedCalls > 0) stop('Saved figures are without BENCH_FINISHED_CALLS.')
const scale = toScale(Number(process.env.BENCH_SCALE ?? 1), finishedCalls)
if (!(scale.factor > 0 && scale.factor <= 1)) stop('BENCH_SCALE must be above 0 and at most 1.')
const isFull = positionals.length === 0
if (values.save && !isFull && scale.factor < 1) stop('Single rows are saved without BENCH_SCALE.')

// A signal exits the process normally, so that its exit handlers remove the temporary folders.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const machine = await describeMachine()
write(`${formatMachine(machine)}\n`)
const figures: Figures[] = []
for (const row of rows.filter(({ name }) => isFull || positionals.includes(name))) {
  const startedAt = performance.now()
  try {
    const measured = (await runRow(row, scale)).map((measurement) => summarize(row.name, measurement))
    figures.push(...measured)
    write(`${row.name}, after ${Math.round((performance.now() - startedAt) / 1_000)} s`)
    for (const each of measured) write(`  ${each.label}: ${formatResult(each)}, limit ${formatLimit(each)}`)
    for (const { notes } of measured) if (notes !== null) write(`  ${notes}`)
  } catch (error) {
    // Continues, because the other rows' results are useful although this row failed.
    process.exitCode = 1
    write(`${row.name} failed: ${error instanceof Error ? error.stack : String(error)}`)
  }
}
write(`\n${formatTable(figures)}`)
if (values.save)
  await saveRun({ machine, scale: scale.factor, figures, rows: rows.map(({ name }) => name), isFull })

function stop(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import * as z from 'zod'
import { createInfrastructure } from './cluster.ts'
import { appendResult, formatResults, readResults } from './results.ts'
import { runRound } from './round.ts'

const Options = z.object({
  seed: z.coerce.number().int().default(1),
  rounds: z.coerce.number().int().min(1).default(1),
  round: z.coerce.number().int().min(1).optional(),
  seconds: z.coerce.number().min(5).default(60),
  every: z.coerce.number().min(0.2).default(2.5),
  'posts-per-second': z.coerce.number().min(0.1).default(6),
  results: z.string().optional(),
})

/**
 * Kills, freezes, and disconnects Outdial's processes and its database, and checks from outside that all promises hold.
 * README.md lists the options.
 */
const { values } = parseArgs({
  options: Object.fromEntries(Object.keys(Options.shape).map((name) => [name, { type: 'string' }])),
})
const { seed, rounds, seconds, every, 'posts-per-second': postsPerSecond, ...options } = Options.parse(values)
const file = options.results ?? path.join(tmpdir(), 'outdial-crash-test.json')
const write = (text: string) => process.stdout.write(`${text}\n`)

const earlier = (await readResults(file)).filter((result) => result.seed === seed)
const first = options.round ?? Math.max(0, ...earlier.map(({ round }) => round)) + 1
const infrastructure = await createInfrastructure()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
let failures = 0
try {
  for (let round = first; round < first + rounds; round += 1) {
    const result = await runRound(infrastructure, { seed, round, seconds, every, postsPerSecond })
    await appendResult(file, result)
    failures += result.violations.length
    const { telephony, durationSeconds, violations } = result
    write(
      `Seed ${seed}, round ${round} (${telephony}): ${durationSeconds} s, ${violations.length} violations`,
    )
    for (const violation of violations.slice(0, 20)) write(`  ${violation}`)
    if (violations.length > 0)
      write(`  To repeat it: npm run crash-test -- --seed ${seed} --round ${round} --seconds ${seconds}`)
  }
} finally {
  await infrastructure.stop()
}
write(`\nResults of all runs, in ${file}:\n\n${formatResults(await readResults(file))}`)
process.exit(failures > 0 ? 1 : 0)

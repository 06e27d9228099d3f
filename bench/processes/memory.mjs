import { preflight } from '../../scripts/preflight.mjs'

/**
 * Starts the service step by step. After each step, prints the process's memory as JSON, in MiB after garbage collection. The
 * file is JavaScript, because Node needs memory to load the first TypeScript file. Needs `--expose-gc`.
 */
const lookUps = 200_000

const steps = []
const measure = (step) => {
  globalThis.gc()
  const { rss, heapUsed, external } = process.memoryUsage()
  const [rssMib, heapMib, externalMib] = [rss, heapUsed, external].map((bytes) => bytes / 2 ** 20)
  steps.push({ step, rssMib, heapMib, externalMib })
}

measure('an empty process')
preflight()
// The table of time zones and other parts need these libraries. They're loaded now, so that the next step measures only the
// table.
await import('bson')
await import('libphonenumber-js/max')
await import('@outdial/contract')
measure('libraries for phone numbers and the contract')
const { timeZonesOfNumber } = await import('../../backend/queue/scheduling/time-zones.ts')
measure('time zones of numbers')
const { startService } = await import('../../backend/start.ts')
measure('all other code')
const service = await startService(process.env)
measure('the running service')
await service.stop()

const startedAt = performance.now()
for (let count = 0; count < lookUps; count += 1) timeZonesOfNumber(`+1202${2_000_000 + count}`)
const lookUpUs = ((performance.now() - startedAt) * 1_000) / lookUps
process.stdout.write(JSON.stringify({ steps, lookUpUs }))

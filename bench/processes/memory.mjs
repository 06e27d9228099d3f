import { preflight } from '../../scripts/preflight.mjs'

/**
 * Starts the service step by step, and prints the memory of the process after each step as JSON, in MiB after garbage
 * collection. It's JavaScript, because Node needs memory to load the first file in TypeScript. Needs `--expose-gc`.
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
// These libraries are needed by the table of time zones and by other parts, too. So the next step measures only the
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

import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { secondMs } from '../../../platform/core/durations.ts'
import { parseLimits } from './parse-limits.ts'
import type { ParseResult } from './run-parser.ts'

const killProcess = () => process.kill(process.pid, 'SIGKILL')
setInterval(() => process.memoryUsage.rss() > parseLimits.maxMemoryBytes && killProcess(), 10)
// Ends this process in case its parent has died. Normally, the parent ends it earlier.
setTimeout(killProcess, parseLimits.timeoutMs + 5 * secondMs)

const bytes = new Uint8Array(await buffer(process.stdin))

const worker = new Worker(new URL('./parse-thread.ts', import.meta.url), {
  workerData: { kind: process.argv[2], bytes },
  transferList: [bytes.buffer],
  resourceLimits: {
    maxOldGenerationSizeMb: parseLimits.maxHeapMegabytes,
    maxYoungGenerationSizeMb: 32,
    stackSizeMb: 4,
  },
})
worker.on('error', (error: unknown) => {
  const isOutOfMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  if (!isOutOfMemory) throw error
  reply({ error: 'too_heavy' })
})
worker.on('message', reply)

function reply(result: ParseResult): void {
  process.stdout.write(JSON.stringify(result), () => process.exit(0))
}

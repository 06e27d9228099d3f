// A process of its own that reads one file: standard input in, an answer out. A thread does it, and this one watches:
// a thread's limits count no buffers, and where V8 cannot stop it in time the whole process ends. It is this one then.
import { buffer } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import type { ParseResult } from './answer.ts'
import { parseLimits } from './parse-limits.ts'

const killProcess = () => process.kill(process.pid, 'SIGKILL')
setInterval(() => process.memoryUsage.rss() > parseLimits.maxMemoryBytes && killProcess(), 10)
// Whoever asked may have died.
setTimeout(killProcess, parseLimits.timeoutMs + 5_000)

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
  reply({ fault: 'too_heavy' })
})
worker.on('message', reply)

function reply(result: ParseResult): void {
  process.stdout.write(JSON.stringify(result), () => process.exit(0))
}

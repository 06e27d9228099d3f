import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message from the benchmark to another process: stop, or work for some seconds. */
export type Question = 'stop' | { seconds: number; width: number }

/** Tells the benchmark that this process is ready, and handles the benchmark's messages. */
export function serve(subject: {
  port?: number
  /** Works for some seconds with `width` workers at a time. Returns the rate per second. */
  work?: (seconds: number, width: number) => Promise<number>
  stop: () => Promise<unknown>
}): void {
  const reply = async (question: Question) => {
    if (question !== 'stop') {
      process.send?.(await subject.work?.(question.seconds, question.width))
      return
    }
    await subject.stop()
    process.exit(0)
  }
  process.on('message', (question: Question) => void reply(question))
  process.once('disconnect', () => process.exit(1)) // the benchmark's process has ended
  process.send?.({ port: subject.port ?? 0 })
}

/** Starts an HTTP server on a free port, and handles the benchmark's messages. */
export function serveHttp(server: Server): void {
  server.listen(0, '127.0.0.1', () =>
    serve({
      port: (server.address() as AddressInfo).port,
      stop: async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }),
  )
}

/**
 * Repeats `work` for some seconds, with `width` workers at a time. Returns the amount of work per second.
 *
 * @param work returns the amount of work that it did; undefined stands for 1. A worker ends when the amount is 0.
 */
export async function repeat(
  seconds: number,
  width: number,
  work: () => Promise<number | undefined>,
): Promise<number> {
  const startAt = performance.now()
  const endAt = startAt + seconds * 1_000
  let count = 0
  const worker = async () => {
    while (performance.now() < endAt) {
      const done = (await work()) ?? 1
      if (done === 0) return
      count += done
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return (count * 1_000) / (performance.now() - startAt)
}

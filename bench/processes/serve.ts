import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A question from a benchmark to another process. */
export type Question = 'stop' | { seconds: number; width: number }

/** Reports that this process is ready, and replies to the benchmark's questions. */
export function serve(subject: {
  port?: number
  /** Does work for some seconds with `width` workers at a time, and returns how often per second it was done. */
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
  process.once('disconnect', () => process.exit(1)) // the benchmark has ended
  process.send?.({ port: subject.port ?? 0 })
}

/** Lets an HTTP server listen on a free port, and serves it as the subject of a benchmark. */
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
 * Repeats work for some seconds with `width` workers at a time. Returns how much of it was done per second.
 *
 * @param work returns how much it did. A worker that did nothing ends.
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

import { once } from 'node:events'
import { type RunningProcess, runScript } from './child-process.ts'
import { waitFor } from './wait.ts'

/** A process of the service at a fixed address, which a test can stop, kill, and start again. */
export interface ServiceProcess {
  url: string
  /** Starts the process with the code in `root`, by default this checkout. Resolves when the process is ready. */
  start(root?: string): Promise<void>
  /** Sends SIGTERM, as process managers do. Resolves with the exit code. */
  stop(): Promise<number | null>
  /** Sends SIGKILL. */
  kill(): Promise<void>
  isRunning(): boolean
  /** Returns the log of all runs of the process. */
  logOutput(): string
}

/** How long a busy machine can take to start several processes at once. */
const startTimeoutMs = 120_000

/** Creates a process without starting it. `start` runs it as `npm start` does, with the given role. */
export function createServiceProcess(
  role: 'api' | 'worker',
  port: number,
  environment: Record<string, string>,
): ServiceProcess {
  const url = `http://127.0.0.1:${port}`
  let running: RunningProcess | undefined
  let log = ''
  const end = async (signal: NodeJS.Signals) => {
    if (running === undefined) return null
    const { process, result } = running
    running = undefined
    process.kill(signal)
    return (await result).code
  }
  return {
    url,
    start: async (root) => {
      const settings = {
        ...environment,
        ...{ ROLE: role, [role === 'api' ? 'PORT' : 'WORKER_PORT']: String(port) },
        npm_lifecycle_event: 'start', // so that it stops when the test run is killed
      }
      const started = runScript('start', [], settings, '', root)
      running = started
      for (const stream of [started.process.stdout, started.process.stderr])
        stream?.on('data', (chunk: Buffer) => (log += chunk.toString()))
      const exit = once(started.process, 'exit').then(() => {
        throw new Error(`the process ended: ${log}`)
      })
      await Promise.race([exit, waitFor(() => isReady(url), undefined, startTimeoutMs)])
      exit.catch(() => {}) // rejects when the test stops the process
    },
    stop: () => end('SIGTERM'),
    kill: async () => {
      await end('SIGKILL')
    },
    isRunning: () => running !== undefined,
    logOutput: () => log,
  }
}

/** Returns true if a process reports that it can handle requests. Asks it as a load balancer does. */
export async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) })
    await response.body?.cancel()
    return response.status === 200
  } catch {
    return false
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { CallLog } from './call-log.ts'
import type { ProcessName } from './plan.ts'

const startScript = fileURLToPath(new URL('../scripts/start.mjs', import.meta.url))

const LogLine = z.object({ time: z.number(), msg: z.string() })
const CallLine = LogLine.extend({ attempt: z.string(), call: z.number() })

/** One of Outdial's processes. It's started as with `npm start`, and again whenever it ends unexpectedly. */
export class ServiceProcess {
  #child: ChildProcess | undefined
  #ready = Promise.withResolvers<void>()
  #hasBeenReady = false
  #isExpectedToEnd = false
  readonly #stderr: string[] = []
  /** How often the process ended because it couldn't reach the database for too long during startup. */
  startTimeouts = 0
  /** Descriptions of all other times when the process ended without being killed. */
  readonly unexpectedExits: string[] = []
  isFrozen = false

  readonly name: ProcessName
  readonly environment: Record<string, string>
  readonly callLog: CallLog | undefined
  readonly origin: string

  constructor(
    name: ProcessName,
    environment: Record<string, string>,
    callLog: CallLog | undefined,
    origin: string,
  ) {
    this.name = name
    this.environment = environment
    this.callLog = callLog
    this.origin = origin
  }

  start(): void {
    // If the process ended before it was ready, `ready` stays the same promise, so that code that waits for it keeps waiting.
    if (this.#hasBeenReady) this.#ready = Promise.withResolvers()
    this.#hasBeenReady = false
    this.#isExpectedToEnd = false
    this.#stderr.length = 0
    const child = spawn(process.execPath, [startScript], {
      // With `npm_lifecycle_event`, the process stops when the crash test ends, as it would when npm ends.
      env: {
        PATH: process.env.PATH,
        NODE_NO_WARNINGS: '1',
        npm_lifecycle_event: 'start',
        ...this.environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    createInterface(child.stdout).on('line', (line) => this.#read(line))
    createInterface(child.stderr).on('line', (line) => this.#stderr.push(line))
    child.once('close', (code, signal) => {
      if (this.#isExpectedToEnd || this.#child !== child) return
      if (!this.#hasBeenReady && this.#stderr[0]?.startsWith('The database in DATABASE_URL') === true)
        this.startTimeouts += 1
      else this.unexpectedExits.push(this.#describeExit(code ?? signal))
      this.start()
    })
  }

  /** Resolves when the process has started. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  get isReady(): boolean {
    return this.#hasBeenReady
  }

  /** Kills the process. Resolves with the time when the signal was sent. */
  async kill(): Promise<number> {
    this.#isExpectedToEnd = true
    const child = this.#child
    const killedAt = performance.now()
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return killedAt
    child.kill('SIGKILL')
    await once(child, 'close') // after the last line of its output
    this.callLog?.endCallsOf(this.name, killedAt)
    return killedAt
  }

  freeze(): void {
    this.isFrozen = true
    this.#child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child?.kill('SIGCONT')
    this.isFrozen = false
  }

  /** Kills the process immediately. Call it when the crash test itself ends. */
  killNow(): void {
    this.#isExpectedToEnd = true
    this.#child?.kill('SIGKILL')
  }

  /** Returns true if the process reports that it's healthy: it can use its database, and its loops run. */
  async isHealthy(): Promise<boolean> {
    const response = await fetch(`${this.origin}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(
      () => undefined,
    )
    await response?.text().catch(() => '')
    return response?.status === 200
  }

  #describeExit(code: number | string | null): string {
    const when = this.#hasBeenReady ? 'while running' : 'while starting'
    return `${this.name} ended ${when} (${code}): ${this.#stderr.slice(0, 4).join(' | ')}`
  }

  #read(line: string): void {
    if (line.includes('"Outdial is ready"')) {
      this.#hasBeenReady = true
      this.#ready.resolve()
    }
    if (this.callLog === undefined || !line.includes('"simulated call ')) return
    if (!line.endsWith('}')) return // the process was killed while it wrote the line
    const { time, msg, attempt, call } = CallLine.parse(JSON.parse(line))
    const at = time - performance.timeOrigin
    if (msg === 'simulated call started') this.callLog.start(attempt, call, this.name, at)
    else this.callLog.end(attempt, at)
  }
}

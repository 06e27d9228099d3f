import { secondMs } from './core/durations.ts'
import { ConfigError, describeError, StartupError } from './core/errors.ts'
import { formatReadyMessage } from './demo/ready-message.ts'
import { type Service, startService } from './start.ts'

/** Handled from the start, so that a signal before the service is ready doesn't leave it running. */
const parentPid = process.ppid

/** Environment → service → until a signal comes. */
export async function main(): Promise<void> {
  const service = await startService(process.env).catch(reportStartupError)
  if (service === undefined) return
  // First, because a signal can follow the ready message at once.
  stopOnSignal(service)
  const { config, dataDir, demo, log } = service
  if (process.stdout.isTTY)
    console.log(formatReadyMessage({ config, dataDir, demo, milliseconds: performance.now() }))
  log.info({ role: config.role, url: config.publicUrl }, 'Outdial is ready')
}

/** A person's mistake is told in a sentence; a bug with its stack. */
function reportStartupError(error: unknown): undefined {
  process.exitCode = 1
  const isExpected = error instanceof StartupError || error instanceof ConfigError
  console.error(isExpected ? error.message : error)
}

/**
 * The first signal stops in order, another one at once. npm passes Ctrl-C on to a process that the terminal
 * has told already: the two come together, and are one.
 */
function stopOnSignal({ log, stop }: Service): void {
  let firstSignalAt: number | undefined
  const onSignal = (signal: string) => {
    if (firstSignalAt !== undefined && performance.now() - firstSignalAt > secondMs) process.exit(1)
    if (firstSignalAt !== undefined) return
    firstSignalAt = performance.now()
    log.info({ signal }, 'stopping')
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ error: describeError(error) }, 'the service did not stop in order')
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  onParentExit(() => onSignal('SIGTERM'))
}

/**
 * npm passes a signal on to its shell, which dies and leaves its child behind: under `npm start` the death of
 * the parent is the signal.
 */
function onParentExit(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return
  setInterval(() => process.ppid !== parentPid && stop(), 500).unref()
}

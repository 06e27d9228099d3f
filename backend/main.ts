import { secondMs } from './platform/core/durations.ts'
import { ConfigError, describeError, StartupError } from './platform/core/errors.ts'
import { formatReadyMessage } from './service/demo/ready-message.ts'
import { collectProcessMetrics } from './service/metrics/metrics.ts'
import { type Service, startService } from './start.ts'

/**
 * The ID of the parent process. It's read at startup, so that `onParentExit` also notices a parent that ends before the
 * service is ready.
 */
const parentPid = process.ppid

/** Runs the service until a signal stops it. */
export async function main(): Promise<void> {
  const service = await startService(process.env).catch(reportStartupError)
  if (service === undefined) return
  // Listens before the ready message is printed, because a signal can follow that message immediately.
  stopOnSignal(service)
  const { config, dataDir, demo, log, metrics } = service
  collectProcessMetrics(metrics)
  if (process.stdout.isTTY)
    console.log(formatReadyMessage({ config, dataDir, demo, milliseconds: performance.now() }))
  log.info({ role: config.role, url: config.publicUrl }, 'Outdial is ready')
  if (config.telephony === 'simulated') {
    log.info(
      'Calls are simulated, so no phone rings. Real calls need an agent runtime and TELEPHONY=http (docs/reference/runtime.md).',
    )
  }
}

/** Prints the message of an expected error. Any other error is a bug, so its stack is printed, too. */
function reportStartupError(error: unknown): undefined {
  process.exitCode = 1
  const isExpected = error instanceof StartupError || error instanceof ConfigError
  console.error(isExpected ? error.message : error)
}

/**
 * Stops the service at the first signal, and exits immediately at a later one. Signals within one second after the first
 * are ignored, because Ctrl-C arrives twice under npm: from the terminal and from npm.
 */
function stopOnSignal({ log, stop }: Service): void {
  let firstSignalAt: number | undefined
  const onSignal = (signal: string) => {
    if (firstSignalAt !== undefined && performance.now() - firstSignalAt > secondMs) process.exit(1)
    if (firstSignalAt !== undefined) return
    firstSignalAt = performance.now()
    log.info({ signal }, 'stopping')
    // Only SIGTERM delays the stop. Ctrl-C sends SIGINT, and the person who pressed it is waiting.
    stop({ delay: signal === 'SIGTERM' }).then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ error: describeError(error) }, 'failed to stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  onParentExit(() => onSignal('SIGTERM'))
}

/**
 * Calls `stop` when the parent process ends. npm sends signals only to its shell, which ends without stopping its child
 * process.
 */
function onParentExit(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const check = setInterval(() => {
    if (process.ppid === parentPid) return
    clearInterval(check)
    stop()
  }, 500)
  check.unref()
}

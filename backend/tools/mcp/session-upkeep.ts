import type { Deps } from '../../deps.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { describeError } from '../../platform/core/errors.ts'
import { type PeriodicJob, startPeriodicJob } from '../../platform/core/periodic.ts'
import { toolTimeoutMs } from './call-tool.ts'
import type { InFlightRequests } from './in-flight-requests.ts'
import type { SessionRegistry } from './session-registry.ts'
import type { ToolSession } from './tool-session.ts'

/** Aborts tool calls that take too long, and sends keep-alives to sessions. */
interface SessionUpkeep {
  /** Starts the upkeep if it isn't running. It stops by itself when no sessions or tool calls are left. */
  start(): void
  stop(): void
}

const tickMs = secondMs
/** Each session gets one keep-alive in this many ticks. The sessions are spread over the ticks. */
const ticksPerKeepAlive = 20

export function createSessionUpkeep(options: {
  clock: Clock
  log: Deps['log']
  sessions: SessionRegistry
  inFlightRequests: InFlightRequests
}): SessionUpkeep {
  const { clock, log, sessions, inFlightRequests } = options
  let job: PeriodicJob | undefined
  let ticks = 0

  const stop = () => {
    void job?.stop()
    job = undefined
  }

  const tick = () => {
    ticks += 1
    const now = clock.now().getTime()
    inFlightRequests.abort('timeout', ({ startedAt }) => startedAt <= now - toolTimeoutMs)
    const isDue = ({ id }: ToolSession) =>
      parseInt(id.slice(-2), 16) % ticksPerKeepAlive === ticks % ticksPerKeepAlive
    for (const { transport } of sessions.filter(isDue)) transport.keepAlive(now)
    if (sessions.size === 0 && inFlightRequests.size === 0) stop()
  }

  return {
    start: () => {
      job ??= startPeriodicJob(clock, {
        name: 'tool_sessions',
        intervalMs: tickMs,
        firstAfterMs: tickMs,
        work: tick,
        onError: (error) => log.error({ error: describeError(error) }, 'failed to keep tool sessions alive'),
      })
    },
    stop,
  }
}

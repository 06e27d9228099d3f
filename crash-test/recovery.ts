import type { CallLog } from './call-log.ts'
import type { CheckedCall } from './check.ts'
import type { DisruptionLog } from './disruptions.ts'
import type { Acknowledgment } from './load.ts'
import type { ReceivedEvent } from './webhook-receiver.ts'

/** How many milliseconds each recovery took, by what recovered. */
export type RecoveryTimes = Record<string, number[]>

/** Measures how long the service took to recover from a round's disruptions. */
export function measureRecovery(
  disruptions: DisruptionLog,
  recorded: {
    callLog: CallLog
    calls: ReadonlyMap<number, CheckedCall>
    acknowledgments: readonly Acknowledgment[]
    events: readonly ReceivedEvent[]
    apiOrigins: Record<string, string>
    isSimulated: boolean
  },
): RecoveryTimes {
  const { callLog, calls, acknowledgments, events, apiOrigins, isSimulated } = recorded
  const firstEvent = new Map<number, number>()
  for (const { callId, at } of events)
    firstEvent.set(callId, Math.min(at, firstEvent.get(callId) ?? Infinity))

  const callsEnded = disruptions.workerKills.flatMap((kill) =>
    kill.calls.flatMap(({ callId, endedAt = kill.at }) => {
      if (isSimulated) {
        const ended = calls.get(callId)?.ended_at
        return ended === null || ended === undefined ? [] : [toMonotonic(ended) - kill.at]
      }
      const eventAt = firstEvent.get(callId)
      return eventAt === undefined ? [] : [eventAt - Math.max(kill.at, endedAt)]
    }),
  )
  const firstAfter = (at: number, times: readonly number[]) => {
    const first = times.reduce((min, time) => (time >= at ? Math.min(min, time) : min), Infinity)
    return first === Infinity ? [] : [first - at]
  }
  const dials = callLog.calls.map(({ startedAt }) => startedAt)
  const posts = acknowledgments.map(({ at }) => at)
  const postsTo = (process: string) =>
    acknowledgments.filter(({ origin }) => origin === apiOrigins[process]).map(({ at }) => at)
  return {
    [isSimulated
      ? 'worker killed → its simulated calls ended'
      : 'worker killed, call over → event delivered (http)']: callsEnded,
    'database back → first dial': disruptions.databaseReturns.flatMap((at) => firstAfter(at, dials)),
    'database back → first 201': disruptions.databaseReturns.flatMap((at) => firstAfter(at, posts)),
    'API killed → first 201 of the other or the same process': disruptions.apiKills.flatMap(({ at }) =>
      firstAfter(at, posts),
    ),
    'API killed → first 201 of the same process': disruptions.apiKills.flatMap(({ at, process }) =>
      firstAfter(at, postsTo(process)),
    ),
    'worker thawed → next dial': disruptions.thaws.flatMap(({ at, process }) =>
      firstAfter(
        at,
        callLog.calls.filter((call) => call.process === process).map(({ startedAt }) => startedAt),
      ),
    ),
  }
}

const toMonotonic = (timestamp: string): number => Date.parse(timestamp) - performance.timeOrigin

/** A call as the telephony provider saw it. Times are those of `performance.now()`. */
export interface PhoneCall {
  attemptId: string
  callId: number
  /** The name of the process that made the attempt. */
  process: string
  startedAt: number
  /** Undefined while the call lasts. */
  endedAt: number | undefined
}

/** An independent record of all calls: who was called, and when. None of it comes from the database. */
export class CallLog {
  readonly calls: PhoneCall[] = []
  readonly #byAttempt = new Map<string, PhoneCall>()
  /** Called with each new call. */
  onStart: (call: PhoneCall) => void = () => {}

  start(attemptId: string, callId: number, process: string, startedAt: number): PhoneCall {
    const call: PhoneCall = { attemptId, callId, process, startedAt, endedAt: undefined }
    this.calls.push(call)
    this.#byAttempt.set(attemptId, call)
    this.onStart(call)
    return call
  }

  end(attemptId: string, endedAt: number): void {
    const call = this.#byAttempt.get(attemptId)
    if (call) call.endedAt ??= endedAt
  }

  /** Ends the simulated calls of a process that was killed or frozen, because they exist only in the memory of the process. */
  endCallsOf(process: string, endedAt: number): void {
    for (const call of this.ongoing(process)) if (call.startedAt <= endedAt) call.endedAt = endedAt
  }

  ongoing(process?: string): PhoneCall[] {
    return this.calls.filter(
      (call) => call.endedAt === undefined && (process === undefined || call.process === process),
    )
  }

  /** Returns the attempts that were dialed more than once. */
  repeatedAttempts(): string[] {
    const counts = Map.groupBy(this.calls, ({ attemptId }) => attemptId)
    return [...counts].filter(([, calls]) => calls.length > 1).map(([attemptId]) => attemptId)
  }
}

/** Returns the largest number of calls at the same time, and when this number was reached. */
export function findPeak(calls: readonly PhoneCall[]): { count: number; at: number } {
  const changes = calls.flatMap(({ startedAt, endedAt = Infinity }) => [
    { at: startedAt, change: 1 },
    { at: endedAt, change: -1 },
  ])
  // Sorts ends before starts at the same time, because a provider reports an end before the next call starts.
  changes.sort((one, other) => one.at - other.at || one.change - other.change)
  let count = 0
  let peak = { count: 0, at: 0 }
  for (const { at, change } of changes) {
    count += change
    if (count > peak.count) peak = { count, at }
  }
  return peak
}

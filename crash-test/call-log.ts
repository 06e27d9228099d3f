/** A phone that rings or is in a call, as its telephony provider saw it. Times are those of `performance.now()`. */
export interface PhoneCall {
  attemptId: string
  callId: number
  /** The process whose attempt it is. */
  process: string
  startedAt: number
  /** Undefined while it lasts. */
  endedAt: number | undefined
}

/** The independent record of all calls: who was called, and when. Nothing in it comes from the database. */
export class CallLog {
  readonly calls: PhoneCall[] = []
  readonly #byAttempt = new Map<string, PhoneCall>()
  /** Called for each new entry. */
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

  /** Ends the simulated calls of a process that was killed or frozen: they exist only in its memory. */
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

/** Returns the largest number of calls that lasted at the same time, and when. */
export function findPeak(calls: readonly PhoneCall[]): { count: number; at: number } {
  const changes = calls.flatMap(({ startedAt, endedAt = Infinity }) => [
    { at: startedAt, change: 1 },
    { at: endedAt, change: -1 },
  ])
  // A provider reports an end before the next call starts, so at the same time, ends are first.
  changes.sort((one, other) => one.at - other.at || one.change - other.change)
  let count = 0
  let peak = { count: 0, at: 0 }
  for (const { at, change } of changes) {
    count += change
    if (count > peak.count) peak = { count, at }
  }
  return peak
}

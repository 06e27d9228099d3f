import type { Clock } from '../core/clock.ts'
import { type AttemptEnd, lostEnd, silentEnd } from './finish-attempt.ts'
import { limits } from '../calls/limits.ts'
import type { Dialing, DialRequest, Line, LineEnd } from '../telephony/provider.ts'

/** However much a line is sped up: what an agent does with its tools takes the machine's own time. */
const leastTalkMs = 30_000

/** Whoever takes an attempt over asks what became of it before any limit counts. */
const catchUpMs = 20_000

type CutShort = 'ring_timeout' | 'call_limit_reached' | 'unheard_of'

/** How far an attempt had come when it was taken over from another worker. */
export interface Progress {
  startedAt: Date
  answeredAt: Date | null
}

/**
 * Has the line make one attempt, or go on with one, and keeps the limits whatever the line does: one that does
 * not answer, hang up or come to an end is left behind. A line that outlives its worker is believed for as long
 * as a call may last: somebody may be talking on it.
 *
 * @param giveUp the worker may not go on: hang up at once, or leave the call to the next worker
 * @returns undefined where the worker gave up
 */
export async function supervise(
  clock: Clock,
  line: Line,
  attempt: { request: DialRequest; taken?: Progress },
  watch: { giveUp: AbortSignal; onAnswer: (at: Date) => void; onLineError: (error: unknown) => void },
): Promise<AttemptEnd | undefined> {
  const { request, taken } = attempt
  const startedAt = taken?.startedAt ?? clock.now()
  let answeredAt = taken?.answeredAt ?? null
  const hangUp = new AbortController()
  const ringOver = new AbortController()
  const left = new AbortController()
  const over = new AbortController()
  const cut = Promise.withResolvers<CutShort>()
  const gone = Promise.withResolvers<'given_up'>()

  const cutShort = (why: CutShort) => {
    if (over.signal.aborted || left.signal.aborted || hangUp.signal.aborted) return
    hangUp.abort(why)
    cut.resolve(why)
  }
  const earliest = taken === undefined ? 0 : clock.now().getTime() + catchUpMs
  const passed = (since: Date, ms: number) =>
    clock.wait(Math.max(since.getTime() + ms, earliest) - clock.now().getTime(), over.signal)
  const ringMs = (limits.ringSeconds * 1000) / line.speed
  const callMs = Math.max((limits.callSeconds * 1000) / line.speed, leastTalkMs)
  const limitTalk = (since: Date) => void passed(since, callMs).then(() => cutShort('call_limit_reached'))
  const onAnswer = (at?: Date) => {
    if (answeredAt !== null || hangUp.signal.aborted || left.signal.aborted) return
    answeredAt = within(startedAt, at, clock.now())
    limitTalk(answeredAt)
    watch.onAnswer(answeredAt)
  }
  const patience = () =>
    passed(clock.now(), (limits.handOverSeconds * 1000) / line.speed).then(() => undefined)
  const isRinging = () => answeredAt === null
  const limitRing = async () => {
    await passed(startedAt, ringMs)
    if (!isRinging()) return
    ringOver.abort()
    // Somebody may have answered, and the word of it be on its way: such a line hangs up when it knows.
    if (!line.outlivesWorker) return cutShort('ring_timeout')
    await passed(startedAt, ringMs + callMs)
    if (isRinging()) cutShort('unheard_of')
  }
  // Whatever a line throws is its failure.
  const lineFailed = (error: unknown): LineEnd => {
    watch.onLineError(error)
    return { outcome: 'failed' }
  }
  const giveUp = () => {
    left.abort()
    if (!line.outlivesWorker) hangUp.abort('given_up')
    gone.resolve('given_up')
  }
  const toEnd = (end: LineEnd) => toAttemptEnd(end, { answeredAt, startedAt, now: clock.now() })

  watch.giveUp.addEventListener('abort', giveUp, { once: true })
  try {
    if (watch.giveUp.aborted) return undefined
    if (answeredAt !== null) limitTalk(answeredAt)
    void limitRing()
    const dialing: Dialing = {
      signal: hangUp.signal,
      ringOver: ringOver.signal,
      left: left.signal,
      onAnswer,
    }
    const talking = Promise.resolve()
      .then(() => (taken && line.resume ? line.resume(request, dialing) : line.dial(request, dialing)))
      .catch(lineFailed)
    const first = await Promise.race([talking, cut.promise, gone.promise])
    if (first === 'given_up') {
      if (line.outlivesWorker) await Promise.race([talking, patience()])
      return undefined
    }
    if (first === 'ring_timeout') return silentEnd('no_answer', 'ring_timeout')
    if (first === 'unheard_of') return toEnd({ outcome: taken === undefined ? 'failed' : 'unknown' })
    if (first === 'call_limit_reached') {
      const said = await Promise.race([talking, patience()])
      return { ...toEnd(said ?? nothingSaid), answeredAt, ...talkedTooLong(said) }
    }
    return toEnd(first)
  } finally {
    over.abort()
    left.abort()
    watch.giveUp.removeEventListener('abort', giveUp)
  }
}

const nothingSaid: LineEnd = {
  outcome: 'answered',
  endedReason: 'agent_hung_up',
  transcript: [],
  recordingUrl: null,
  refused: false,
}

const talkedTooLong = (said: LineEnd | undefined) =>
  said?.outcome === 'voicemail'
    ? { endedReason: 'call_limit_reached' as const }
    : { outcome: 'answered' as const, endedReason: 'call_limit_reached' as const }

const silentReasons = {
  no_answer: 'ring_timeout',
  busy: 'line_busy',
  declined: 'contact_declined',
  failed: 'line_failed',
} as const

/** Clocks differ: nothing happens before its attempt began, or later than now. */
const within = (first: Date, told: Date | undefined, now: Date): Date =>
  new Date(Math.max(first.getTime(), Math.min((told ?? now).getTime(), now.getTime())))

function toAttemptEnd(
  end: LineEnd,
  seen: { answeredAt: Date | null; startedAt: Date; now: Date },
): AttemptEnd {
  const { startedAt, now } = seen
  if (end.outcome === 'unknown') return lostEnd
  const answeredAt = seen.answeredAt ?? (end.answeredAt && within(startedAt, end.answeredAt, now)) ?? null
  const endedAt = end.endedAt && within(answeredAt ?? startedAt, end.endedAt, now)
  if (end.outcome === 'answered') {
    const { outcome, endedReason, transcript, recordingUrl, refused } = end
    return { outcome, endedReason, transcript, recordingUrl, refused, answeredAt, endedAt, summary: null }
  }
  if (end.outcome === 'voicemail') {
    const { outcome, transcript, summary } = end
    const said = { outcome, transcript, summary, answeredAt, endedAt }
    return { ...said, endedReason: 'voicemail_reached', recordingUrl: null, refused: false }
  }
  return { ...silentEnd(end.outcome, silentReasons[end.outcome]), endedAt }
}

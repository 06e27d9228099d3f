import type { Clock } from '../clock.ts'
import { type AttemptEnd, silentEnd } from './finish.ts'
import type { DialRequest, Line, LineEnd } from './lines/line.ts'

/** Limits in seconds on the line. After the call limit a line gets a moment to hand over what was said. */
export const limits = { ringSeconds: 45, callSeconds: 30 * 60, handOverSeconds: 5 }

type CutShort = 'ring_timeout' | 'call_limit_reached' | 'given_up'

/**
 * Has the line make one attempt, and keeps the limits whatever the line does: one that does not answer, hang up
 * or come to an end is left behind.
 *
 * @param giveUp the worker may not go on: hang up at once
 * @returns undefined where the worker gave up
 */
export async function supervise(
  clock: Clock,
  line: Line,
  request: DialRequest,
  watch: { giveUp: AbortSignal; onAnswer: (at: Date) => void; onLineError: (error: unknown) => void },
): Promise<AttemptEnd | undefined> {
  const hangUp = new AbortController()
  const over = new AbortController()
  const cut = Promise.withResolvers<CutShort>()
  let answeredAt: Date | null = null

  const cutShort = (why: CutShort) => {
    if (over.signal.aborted || hangUp.signal.aborted) return
    hangUp.abort(why)
    cut.resolve(why)
  }
  const limit = async (seconds: number, applies: () => boolean, why: CutShort) => {
    await clock.wait((seconds * 1000) / line.speed, over.signal)
    if (applies()) cutShort(why)
  }
  const onAnswer = () => {
    if (answeredAt !== null || hangUp.signal.aborted) return
    answeredAt = clock.now()
    void limit(limits.callSeconds, () => true, 'call_limit_reached')
    watch.onAnswer(answeredAt)
  }
  // Whatever a line throws is its failure.
  const lineFailed = (error: unknown): LineEnd => {
    watch.onLineError(error)
    return { outcome: 'failed' }
  }
  const giveUp = () => cutShort('given_up')
  watch.giveUp.addEventListener('abort', giveUp, { once: true })
  void limit(limits.ringSeconds, () => answeredAt === null, 'ring_timeout')

  try {
    if (watch.giveUp.aborted) return undefined
    const talking = Promise.resolve()
      .then(() => line.dial(request, { signal: hangUp.signal, onAnswer }))
      .catch(lineFailed)
    const first = await Promise.race([talking, cut.promise])
    if (first === 'given_up') return undefined
    if (first === 'ring_timeout') return silentEnd('no_answer', 'ring_timeout')
    if (first === 'call_limit_reached') {
      const patience = clock.wait((limits.handOverSeconds * 1000) / line.speed, over.signal)
      const said = await Promise.race([talking, patience.then(() => undefined)])
      return { ...toAttemptEnd(said ?? nothingSaid, answeredAt), answeredAt, ...talkedTooLong(said) }
    }
    return toAttemptEnd(first, answeredAt)
  } finally {
    over.abort()
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

function toAttemptEnd(end: LineEnd, answeredAt: Date | null): AttemptEnd {
  if (end.outcome === 'answered') return { ...end, answeredAt, summary: null }
  if (end.outcome === 'voicemail') {
    return { ...end, endedReason: 'voicemail_reached', answeredAt, recordingUrl: null, refused: false }
  }
  return silentEnd(end.outcome, silentReasons[end.outcome])
}

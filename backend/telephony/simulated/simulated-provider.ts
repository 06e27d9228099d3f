import type { TranscriptLine } from '@outdial/contract'
import type { Clock } from '../../core/clock.ts'
import type { AgentInCall, CallAgent, Intent } from '../../runtime/agent.ts'
import { castingOf } from './pick-scenario.ts'
import { fill } from '../../calls/lines/fill.ts'
import type { Analysis, DialRequest, TelephonyProvider, ProviderResult } from '../provider.ts'
import { apology, type Talk, voicemailMessage } from './scenarios.ts'

/**
 * A line on which no phone rings. The same number and attempt always go the same way, so that a demonstration
 * and a test can be told in advance.
 *
 * @param speed simulated seconds per second of the clock
 * @param agent uses its tools in each talk; without one there is only talk
 */
export function createSimulatedProvider(clock: Clock, speed: number, agent?: CallAgent): TelephonyProvider {
  const pause = (seconds: number, signal: AbortSignal) => clock.wait((seconds * 1000) / speed, signal)

  const say = async (
    line: readonly ['agent' | 'contact', string],
    said: TranscriptLine[],
    signal: AbortSignal,
  ) => {
    const [role, text] = line
    await pause(1 + text.length / 16, signal)
    if (!signal.aborted) said.push({ role, text, at: clock.now().toISOString() })
  }

  /** What an agent did stands where it did it. The first time that something fails, it says so, too. */
  const act = async (
    intent: Intent,
    doer: AgentInCall | undefined,
    transcript: TranscriptLine[],
    signal: AbortSignal,
  ) => {
    const action = await doer?.act(intent)
    if (action === undefined || signal.aborted) return
    transcript.push({ role: 'tool', text: action.text, at: clock.now().toISOString() })
    const apologized = transcript.some(({ text }) => text === apology)
    if (!action.succeeded && !apologized) await say(['agent', apology], transcript, signal)
  }

  const converse = async (request: DialRequest, talk: Talk, signal: AbortSignal): Promise<ProviderResult> => {
    const transcript: TranscriptLine[] = []
    const doer = agent?.join(
      { widgetId: request.agent.widgetId, attemptId: request.attemptId },
      { signal, fill: (text) => fill(text, request), now: () => clock.now() },
    )
    for (const line of talk.lines) {
      if ('does' in line) await act(line, doer, transcript, signal)
      else await say([line[0], fill(line[1], request)], transcript, signal)
    }
    await doer?.leave()
    await pause(1, signal)
    return {
      outcome: 'answered',
      endedReason: talk.hangsUp === 'agent' ? 'agent_hung_up' : 'contact_hung_up',
      transcript,
      recordingUrl: null,
      optedOut: talk.optedOut && isWhole(request, talk, transcript),
    }
  }

  const leaveMessage = async (request: DialRequest, signal: AbortSignal): Promise<ProviderResult> => {
    const transcript: TranscriptLine[] = []
    await pause(6, signal)
    await say(['agent', fill(voicemailMessage, request)], transcript, signal)
    const summary = fill('Reached the voicemail of {{name}} and left a message about {{topic}}.', request)
    return { outcome: 'voicemail', transcript, summary }
  }

  return {
    name: 'simulated',
    resumable: false,
    speed,
    dial: async (request, { signal, onAnswer }) => {
      const { part, talk, ringSeconds } = castingOf(request)
      if (part === 'fails') {
        await pause(1, signal)
        return { outcome: 'failed' }
      }
      // Nobody picks up: it rings until the dialer's limit cuts it.
      await pause(part === 'rings' ? 120 : ringSeconds, signal)
      if (signal.aborted || part === 'rings') return { outcome: 'no_answer' }
      if (part === 'busy') return { outcome: 'busy' }
      if (part === 'declines') return { outcome: 'declined' }
      onAnswer()
      return part === 'voicemail' ? leaveMessage(request, signal) : converse(request, talk, signal)
    },
    analyse: async (request, transcript, signal) => {
      await pause(2, signal)
      return analysisOf(request, transcript)
    },
  }
}

/** Whether everything was said that belongs to the talk; what tools did in between does not count. */
function isWhole(request: DialRequest, talk: Talk, transcript: readonly TranscriptLine[]): boolean {
  const last = talk.lines.findLast((line) => !('does' in line))
  const said = transcript.at(-1)
  return last !== undefined && 'length' in last && said?.text === fill(last[1], request)
}

/** Tells only what was said: a talk that was cut short promises nothing. */
function analysisOf(request: DialRequest, transcript: readonly TranscriptLine[]): Analysis {
  const { talk } = castingOf(request)
  if (!isWhole(request, talk, transcript)) {
    return {
      summary: fill('The call with {{name}} ended before it came to a result.', request),
      sentiment: 'unknown',
      goalMet: null,
      extracted: {},
    }
  }
  const { summary, sentiment, goalMet, extracted } = talk
  return { summary: fill(summary, request), sentiment, goalMet, extracted }
}

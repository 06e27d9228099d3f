import type { TranscriptTurn } from '@outdial/contract'
import type { Clock } from '../../../platform/core/clock.ts'
import { secondMs } from '../../../platform/core/durations.ts'
import type { Analysis, DialRequest, ProviderResult, TelephonyProvider } from '../provider.ts'
import { pickScenario } from './pick-scenario.ts'
import { apology, fillScenarioText, type Scenario, voicemailMessage, voicemailSummary } from './scenarios.ts'
import { simulateResults } from './simulate-results.ts'
import type { ActiveAgent, SimulatedAgent } from './simulated-agent.ts'
import type { Intent } from './tool-steps.ts'

/**
 * Creates a provider that doesn't place real calls. The same number and attempt always have the same result, so demos
 * and tests are predictable.
 *
 * @param speed simulated seconds per second of the clock
 * @param agent uses tools in conversations; without it, conversations have only spoken turns
 */
export function createSimulatedProvider(
  clock: Clock,
  speed: number,
  agent?: SimulatedAgent,
): TelephonyProvider {
  const pause = (seconds: number, signal: AbortSignal) => clock.wait((seconds * secondMs) / speed, signal)

  const say = async (
    step: readonly ['agent' | 'contact', string],
    transcript: TranscriptTurn[],
    signal: AbortSignal,
  ) => {
    const [role, text] = step
    await pause(1 + text.length / 16, signal)
    if (!signal.aborted) transcript.push({ role, text, at: clock.now().toISOString() })
  }

  /** Uses a tool and adds that to the transcript. The agent apologizes the first time a tool fails. */
  const act = async (
    intent: Intent,
    activeAgent: ActiveAgent | undefined,
    transcript: TranscriptTurn[],
    signal: AbortSignal,
  ) => {
    const action = await activeAgent?.act(intent)
    if (action === undefined || signal.aborted) return
    transcript.push({ role: 'tool', text: action.text, at: clock.now().toISOString() })
    const apologized = transcript.some(({ text }) => text === apology)
    if (!action.succeeded && !apologized) await say(['agent', apology], transcript, signal)
  }

  const converse = async (
    request: DialRequest,
    scenario: Scenario,
    signal: AbortSignal,
  ): Promise<ProviderResult> => {
    const transcript: TranscriptTurn[] = []
    const activeAgent = agent?.join(
      { widgetId: request.agent.widgetId, attemptId: request.attemptId },
      { signal, fill: (text) => fillScenarioText(text, request), now: () => clock.now() },
    )
    for (const step of scenario.steps) {
      if ('action' in step) await act(step, activeAgent, transcript, signal)
      else await say([step[0], fillScenarioText(step[1], request)], transcript, signal)
    }
    await activeAgent?.leave()
    await pause(1, signal)
    return {
      outcome: 'answered',
      endedReason: scenario.hangsUp === 'agent' ? 'agent_hung_up' : 'contact_hung_up',
      transcript,
      recordingUrl: null,
      optedOut: scenario.optedOut && isCompleteConversation(request, scenario, transcript),
    }
  }

  const leaveMessage = async (request: DialRequest, signal: AbortSignal): Promise<ProviderResult> => {
    const transcript: TranscriptTurn[] = []
    await pause(6, signal)
    await say(['agent', fillScenarioText(voicemailMessage, request)], transcript, signal)
    return { outcome: 'voicemail', transcript, summary: fillScenarioText(voicemailSummary, request) }
  }

  return {
    name: 'simulated',
    resumable: false,
    speed,
    dial: async (request, { signal, onAnswer }) => {
      const { behavior, scenario, ringSeconds } = pickScenario(request)
      if (behavior === 'fails') {
        await pause(1, signal)
        return { outcome: 'failed' }
      }
      // If nobody answers, the phone rings until the dialer's limit.
      await pause(behavior === 'no_answer' ? 120 : ringSeconds, signal)
      if (signal.aborted || behavior === 'no_answer') return { outcome: 'no_answer' }
      if (behavior === 'busy') return { outcome: 'busy' }
      if (behavior === 'declines') return { outcome: 'declined' }
      onAnswer()
      return behavior === 'voicemail' ? leaveMessage(request, signal) : converse(request, scenario, signal)
    },
    analyze: async (request, transcript, signal) => {
      await pause(2, signal)
      return createAnalysis(request, transcript)
    },
  }
}

/** Returns true if the conversation reached its last spoken turn. Tool calls don't count. */
function isCompleteConversation(
  request: DialRequest,
  scenario: Scenario,
  transcript: readonly TranscriptTurn[],
): boolean {
  const last = scenario.steps.findLast((step) => !('action' in step))
  const lastTurn = transcript.at(-1)
  return last !== undefined && 'length' in last && lastTurn?.text === fillScenarioText(last[1], request)
}

/** Analyzes the transcript. A conversation that was cut short has no result. */
function createAnalysis(request: DialRequest, transcript: readonly TranscriptTurn[]): Analysis {
  const { scenario } = pickScenario(request)
  if (!isCompleteConversation(request, scenario, transcript)) {
    return {
      summary: 'The call ended without a result.',
      sentiment: 'unknown',
      goalMet: null,
      extracted: {},
    }
  }
  const { summary, sentiment, goalMet } = scenario
  const { results } = request.agent
  // Results that the agent should find out replace the scenario's own values.
  const extracted =
    results.length === 0 ? scenario.extracted : simulateResults(results, request, { goalMet, transcript })
  return { summary: fillScenarioText(summary, request), sentiment, goalMet, extracted }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { RuntimeAnalysis, RuntimeDialRequest, RuntimeReport, TranscriptTurn } from '@outdial/contract'
import { createReporter, type ReportInput } from './reporter.ts'
import { openTools, type Tools } from './tools.ts'

export interface OngoingCall {
  reports: readonly RuntimeReport[]
  hangUp(): void
}

/** Runs a call from a script, where a real runtime calls a phone and uses a language model. */
export function startCall(dialRequest: RuntimeDialRequest, secondMs: number): OngoingCall {
  const reporter = createReporter(dialRequest.reports_url, dialRequest.attempt_token)
  const hungUp = new AbortController()
  const isHungUp = () => hungUp.signal.aborted
  const waitSeconds = (seconds: number) =>
    delay(seconds * secondMs, undefined, { signal: hungUp.signal }).catch(() => undefined)

  const call = async (): Promise<ReportInput> => {
    reporter.addReport({ type: 'ringing' })
    if (dialRequest.to_number.endsWith('0101')) await waitSeconds(dialRequest.ring_limit_seconds)
    else await waitSeconds(2)
    if (isHungUp()) return { type: 'ended', outcome: 'no_answer' }
    if (dialRequest.to_number.endsWith('0102')) return { type: 'ended', outcome: 'busy' }

    reporter.addReport({ type: 'answered' })
    const answered_at = new Date().toISOString()
    const transcript = await runConversation(dialRequest, waitSeconds, hungUp.signal)
    return {
      type: 'ended',
      outcome: 'answered',
      ended_reason: 'agent_hung_up',
      answered_at,
      transcript,
      analysis: isHungUp() ? interruptedAnalysis : interestedAnalysis,
    }
  }
  void call().then(
    (endReport) => reporter.addReport(endReport),
    () => reporter.addReport({ type: 'ended', outcome: 'failed' }),
  )
  return { reports: reporter.reports, hangUp: () => hungUp.abort() }
}

const interestedAnalysis: RuntimeAnalysis = {
  summary: 'Wants to hear more.',
  sentiment: 'positive',
  goal_met: true,
  extracted: { interested: true },
}
const interruptedAnalysis: RuntimeAnalysis = {
  summary: 'The call ended before there was a result.',
  sentiment: 'unknown',
  goal_met: null,
  extracted: {},
}

async function runConversation(
  dialRequest: RuntimeDialRequest,
  waitSeconds: (seconds: number) => Promise<unknown>,
  hungUp: AbortSignal,
): Promise<TranscriptTurn[]> {
  const transcript: TranscriptTurn[] = []
  const addTurn = async (role: TranscriptTurn['role'], text: string) => {
    if (hungUp.aborted) return
    transcript.push({ role, text, at: new Date().toISOString() })
    await waitSeconds(2)
  }
  // The conversation continues even if the tools aren't available.
  const tools = await openTools(dialRequest.tools_url, dialRequest.attempt_token).catch(
    (): Tools | undefined => undefined,
  )
  const useTool = async (name: string, args: Record<string, unknown>) => {
    if (hungUp.aborted || tools?.names.includes(name) !== true) return
    // A real agent passes the result to its model. The transcript gets one line; Outdial records the full result.
    const text = await tools.use(name, args).then(
      () => `Used ${name}`,
      () => `Couldn't use ${name}`,
    )
    await addTurn('tool', text)
  }

  const { first_name } = dialRequest.contact
  await useTool('contact_lookup', {})
  await addTurn(
    'agent',
    `${first_name === null ? 'Hello' : `Hello ${first_name}`}, this is ${dialRequest.agent.name} about your request.`,
  )
  await addTurn('contact', 'Oh, hello. What does it cost?')
  await useTool('knowledge_search', { query: 'price' })
  await addTurn('agent', "I'll have a quote sent to you.")
  await useTool('contact_note', { text: 'Asked about the price. Send a quote.' })
  await addTurn('contact', 'Thank you, goodbye.')
  await tools?.close()
  return transcript
}

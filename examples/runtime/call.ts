import type { CallOrder, RuntimeAnalysis, RuntimeReport, TranscriptLine } from '@outdial/contract'
import { setTimeout as delay } from 'node:timers/promises'
import { createReporter, type News } from './reporter.ts'
import { openTools, type Tools } from './tools.ts'

export interface OngoingCall {
  reports: readonly RuntimeReport[]
  hangUp(): void
}

/** Where a real runtime rings a phone and lets a model talk, this one follows a script. */
export function startCall(order: CallOrder, secret: string, secondMs: number): OngoingCall {
  const reporter = createReporter(order.reports_url, secret)
  const hungUp = new AbortController()
  const isCut = () => hungUp.signal.aborted
  const second = (seconds: number) =>
    delay(seconds * secondMs, undefined, { signal: hungUp.signal }).catch(() => undefined)

  const call = async (): Promise<News> => {
    reporter.tell({ type: 'ringing' })
    if (order.to_number.endsWith('0101')) await second(order.ring_limit_seconds)
    else await second(2)
    if (isCut()) return { type: 'ended', outcome: 'no_answer' }
    if (order.to_number.endsWith('0102')) return { type: 'ended', outcome: 'busy' }

    reporter.tell({ type: 'answered' })
    const answered_at = new Date().toISOString()
    const transcript = await talk(order, secret, second, hungUp.signal)
    return {
      type: 'ended',
      outcome: 'answered',
      ended_reason: 'agent_hung_up',
      answered_at,
      transcript,
      analysis: isCut() ? cutShort : interested,
    }
  }
  void call().then(
    (end) => reporter.tell(end),
    () => reporter.tell({ type: 'ended', outcome: 'failed' }),
  )
  return { reports: reporter.reports, hangUp: () => hungUp.abort() }
}

const interested: RuntimeAnalysis = {
  summary: 'Wants to hear more.',
  sentiment: 'positive',
  goal_met: true,
  extracted: { interested: true },
}
const cutShort: RuntimeAnalysis = {
  summary: 'The call ended before it came to a result.',
  sentiment: 'unknown',
  goal_met: null,
  extracted: {},
}

async function talk(
  order: CallOrder,
  secret: string,
  second: (seconds: number) => Promise<unknown>,
  hungUp: AbortSignal,
): Promise<TranscriptLine[]> {
  const transcript: TranscriptLine[] = []
  const say = async (role: TranscriptLine['role'], text: string) => {
    if (hungUp.aborted) return
    transcript.push({ role, text, at: new Date().toISOString() })
    await second(2)
  }
  // Without its tools an agent can still talk.
  const tools = await openTools(order.tools_url, secret).catch((): Tools | undefined => undefined)
  const use = async (name: string, args: Record<string, unknown>) => {
    if (hungUp.aborted || tools?.names.includes(name) !== true) return
    const answer = await tools.use(name, args).catch(() => 'It did not answer.')
    await say('tool', `${name}: ${answer}`)
  }

  const name = order.contact.first_name ?? 'there'
  await use('contact_lookup', {})
  await say('agent', `Hello ${name}, this is ${order.agent.name} about ${order.campaign.name}.`)
  await say('contact', 'Oh, hello. What does it cost?')
  await use('knowledge_search', { query: 'price' })
  await say('agent', 'I will have an offer sent to you.')
  await use('contact_note', { text: 'Asked for the price: send an offer.' })
  await say('contact', 'Thank you, goodbye.')
  await tools?.close()
  return transcript
}

import type { TranscriptLine } from '@outdial/contract'
import { createHash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { AgentInCall, CallAgent, Intent } from '../../runtime/agent.ts'
import type { Analysis, DialRequest, Line, LineEnd } from './line.ts'
import { apology, callBack, interested, refusal, type Talk, talks, voicemailMessage } from './talks.ts'

/** What the called side does. */
type Part = 'talks' | 'rings' | 'busy' | 'voicemail' | 'declines' | 'fails'

/** The demo's numbers: the last digits decide. */
const parts: Record<string, Part> = {
  '0100': 'talks',
  '0101': 'rings',
  '0102': 'busy',
  '0103': 'voicemail',
  '0104': 'declines',
  '0105': 'fails',
  '0106': 'talks',
}

/** Any other number draws, roughly as people are: of 32, 17 answer. */
const lots: readonly (readonly [Part, number])[] = [
  ['talks', 17],
  ['rings', 6],
  ['voicemail', 5],
  ['busy', 2],
  ['declines', 1],
  ['fails', 1],
]

/**
 * A line on which no phone rings. The same number and attempt always go the same way, so that a demonstration
 * and a test can be told in advance.
 *
 * @param speed simulated seconds per second of the clock
 * @param agent uses its tools in each talk; without one there is only talk
 */
export function createSimulatedLine(clock: Clock, speed: number, agent?: CallAgent): Line {
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
    const done = await doer?.act(intent)
    if (done === undefined || signal.aborted) return
    transcript.push({ role: 'tool', text: done.text, at: clock.now().toISOString() })
    const apologised = transcript.some(({ text }) => text === apology)
    if (!done.done && !apologised) await say(['agent', apology], transcript, signal)
  }

  const converse = async (request: DialRequest, talk: Talk, signal: AbortSignal): Promise<LineEnd> => {
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
      refused: talk.refused && isWhole(request, talk, transcript),
    }
  }

  const leaveMessage = async (request: DialRequest, signal: AbortSignal): Promise<LineEnd> => {
    const transcript: TranscriptLine[] = []
    await pause(6, signal)
    await say(['agent', fill(voicemailMessage, request)], transcript, signal)
    const summary = fill('Reached the voicemail of {{name}} and left a message about {{topic}}.', request)
    return { outcome: 'voicemail', transcript, summary }
  }

  return {
    name: 'simulated',
    outlivesWorker: false,
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

/** The scenario that a number and attempt always meet. */
function castingOf(request: DialRequest): { part: Part; talk: Talk; ringSeconds: number } {
  const seed = createHash('sha256').update(`${request.toNumber}:${request.number}`).digest()
  const digits = request.toNumber.slice(-4)
  const drawn = talks[seed.readUInt8(1) % talks.length] ?? interested
  // Who asked to be called back has time then: nobody puts us off for ever.
  const met = drawn === callBack && request.scheduled ? interested : drawn
  return {
    part: parts[digits] ?? draw(seed.readUInt8(0) % 32),
    talk: digits === '0100' ? interested : digits === '0106' ? refusal : met,
    ringSeconds: 3 + (seed.readUInt8(2) % 8),
  }
}

function draw(ticket: number): Part {
  let left = ticket
  for (const [part, share] of lots) {
    if (left < share) return part
    left -= share
  }
  return 'talks'
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

/** Fills {{names}}: the contact's variables, and those that every script knows. An unknown name says nothing. */
function fill(template: string, request: DialRequest): string {
  const { agent, contact, campaignName } = request
  const agentName = agent.name.split(',')[0] ?? agent.name
  const name = contact.firstName ?? contact.lastName ?? 'there'
  const topic = contact.variables['product'] ?? contact.variables['topic'] ?? campaignName
  const known = new Map([
    ...Object.entries(contact.variables),
    ['first_name', contact.firstName ?? ''],
    ['last_name', contact.lastName ?? ''],
    ['campaign', campaignName],
    ['agent', agentName],
    ['name', name],
    ['topic', topic],
  ])
  const fillIn = (text: string) =>
    text.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, key: string) => known.get(key) ?? '')
  const greeting =
    agent.greeting === '' ? 'Hello {{name}}, this is {{agent}} about {{topic}}.' : agent.greeting
  return template === '{{greeting}}' ? fillIn(greeting) : fillIn(template)
}

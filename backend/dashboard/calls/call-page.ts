import type { Call } from '@outdial/contract'
import { getCall } from '../../calls/get.ts'
import { findAttemptsOfCall, findCallRules, findToolCallsOfCall } from '../../calls/history-store.ts'
import type { Deps } from '../../deps.ts'
import {
  findDeliveriesOfEvent,
  findEventOfCall,
  findTriesOfEvent,
} from './call-queries.ts'
import { none, show } from '../page/page-route.ts'
import { pageNotFound } from '../page/page-errors.ts'
import { callSign, type Sign } from '../page/badges.ts'
import { template } from '../view.ts'
import { showDeliveries, type ShownDelivery } from './deliveries.ts'
import { contactName } from '../contact-name.ts'
import { createMoments, endedReasonInWords, waitsInWords } from './in-words.ts'
import { type Moment, timelineOf } from './call-timeline.ts'

interface CallData {
  call: Call
  name: string
  sign: Sign
  ended: string
  waits: string | null
  pausedReason: string
  timeline: Moment[]
  talk: { role: 'agent' | 'contact' | 'tool'; who: string; text: string; at: string; offset: string }[]
  extracted: [string, string][]
  metadata: [string, string][]
  variables: [string, string][]
  sentiment: Sign | null
  goal: Sign | null
  talkErased: boolean
  /** Empty where there is none that a browser should follow. */
  recordingUrl: string
  deliveries: ShownDelivery[]
  eventId: string
  numberLabel: string
  isLive: boolean
  /** A time to the second: much happens within a minute. */
  clock: (at: Date) => string
  canCancel: boolean
  canQueueAgain: boolean
}

const callPage = template<CallData>('dashboard/calls/call-page')

/** More than any agent does; what a runaway one did is in the export of its tools. */
const mostToolCalls = 500

export const showCall = (deps: Deps) =>
  show({
    path: '/calls/:id',
    query: none,
    show: async (visit) => {
      const call = await getCall(deps)(visit.caller, visit.id)
      return callPage(`Call ${call.id}`, await readPage(deps, call, visit.workspace))
    },
  })

async function readPage(
  { db, clock }: Deps,
  call: Call,
  workspace: { id: number; timeZone: string },
): Promise<CallData> {
  const now = clock.now()
  const moments = createMoments(now, workspace.timeZone)
  const [rules, attempts, toolCalls, event] = await Promise.all([
    findCallRules(db, workspace.id, call.id),
    findAttemptsOfCall(db, workspace.id, call.id),
    findToolCallsOfCall(db, workspace.id, call.id, mostToolCalls),
    findEventOfCall(db, workspace.id, call.id),
  ])
  if (rules === undefined) throw pageNotFound() // erased with its workspace, a moment ago
  const [found, tries] =
    event === undefined
      ? [[], []]
      : await Promise.all([
          findDeliveriesOfEvent(db, workspace.id, event.id),
          findTriesOfEvent(db, workspace.id, event.id),
        ])
  const waits = call.status === 'queued' ? waitsInWords(call, rules, now, moments) : null
  const history = { call, rules, attempts, toolCalls, event, deliveries: found.length }
  return {
    call,
    name: contactName(call.contact, call.to_number),
    sign: callSign(call),
    ended: call.ended_reason === null ? '' : endedReasonInWords(call.ended_reason),
    waits,
    pausedReason: call.waiting_for === 'campaign_paused' ? (rules.paused_reason ?? '') : '',
    timeline: timelineOf(history),
    talk: talkOf(call),
    extracted: Object.entries(call.extracted).map(([key, value]) => [key, valueInWords(value)]),
    metadata: Object.entries(call.metadata),
    variables: Object.entries(call.contact.variables),
    ...signsOf(call),
    recordingUrl: /^https?:/.test(call.recording_url ?? '') ? (call.recording_url ?? '') : '',
    talkErased: rules.talk_erased_at !== null,
    deliveries: showDeliveries(found, tries),
    eventId: event?.id ?? '',
    numberLabel: rules.number_label,
    isLive: event === undefined || found.some(({ status }) => status === 'pending'),
    clock: moments.exact,
    canCancel: call.status === 'queued',
    canQueueAgain:
      call.status === 'completed' && call.to_number !== '' && rules.campaign_status !== 'archived',
  }
}

const speakers = { agent: 'Agent', contact: 'Contact', tool: 'Tool' }

const talkOf = (call: Call): CallData['talk'] =>
  call.transcript.map(({ role, text, at }) => {
    const who =
      role === 'agent' ? call.agent_name : (role === 'contact' && call.contact.first_name) || speakers[role]
    return { role, who, text, at, offset: offsetOf(at, call.answered_at) }
  })

/** Minutes and seconds into the talk. */
function offsetOf(at: string, answeredAt: string | null): string {
  if (answeredAt === null) return ''
  const seconds = Math.max(0, Math.round((Date.parse(at) - Date.parse(answeredAt)) / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function signsOf({ sentiment, goal_met, outcome }: Call): { sentiment: Sign | null; goal: Sign | null } {
  if (outcome !== 'answered') return { sentiment: null, goal: null }
  return {
    sentiment: {
      tone: sentiment === 'positive' ? 'good' : sentiment === 'negative' ? 'bad' : 'mute',
      text: sentiment.charAt(0).toUpperCase() + sentiment.slice(1),
    },
    goal:
      goal_met === null
        ? { tone: 'mute', text: 'Not known' }
        : goal_met
          ? { tone: 'good', text: 'Met' }
          : { tone: 'warn', text: 'Not met' },
  }
}

function valueInWords(value: string | number | boolean | null): string {
  if (value === null) return '–'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return String(value)
}

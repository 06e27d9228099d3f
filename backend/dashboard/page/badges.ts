import type { CallOutcome, CallStatus, CampaignStatus, WaitingFor } from '@outdial/contract'

/** How a state looks: the colours of badges, bars and points. */
export type Tone = 'good' | 'warn' | 'bad' | 'live' | 'mute'

export interface Sign {
  tone: Tone
  text: string
}

const outcomes: Record<CallOutcome, Sign> = {
  answered: { tone: 'good', text: 'Answered' },
  voicemail: { tone: 'warn', text: 'Voicemail' },
  no_answer: { tone: 'warn', text: 'No answer' },
  busy: { tone: 'warn', text: 'Busy' },
  declined: { tone: 'warn', text: 'Declined' },
  failed: { tone: 'bad', text: 'Failed' },
  suppressed: { tone: 'mute', text: 'Do not call' },
  expired: { tone: 'mute', text: 'Expired' },
  canceled: { tone: 'mute', text: 'Canceled' },
}

const statuses: Record<Exclude<CallStatus, 'completed'>, Sign> = {
  queued: { tone: 'mute', text: 'Waiting' },
  dialing: { tone: 'live', text: 'Dialing' },
  in_progress: { tone: 'live', text: 'In progress' },
}

const campaigns: Record<CampaignStatus, Sign> = {
  active: { tone: 'good', text: 'Active' },
  paused: { tone: 'warn', text: 'Paused' },
  archived: { tone: 'mute', text: 'Archived' },
}

const agents: Record<'draft' | 'live' | 'paused', Sign> = {
  draft: { tone: 'mute', text: 'Draft' },
  live: { tone: 'good', text: 'Live' },
  paused: { tone: 'warn', text: 'Paused' },
}

/** Every outcome, in the order in which charts show them. */
export const outcomeOrder = Object.keys(outcomes) as CallOutcome[]

export const outcomeSign = (outcome: CallOutcome): Sign => outcomes[outcome]

export const callSign = (call: { status: CallStatus; outcome: CallOutcome | null }): Sign => {
  if (call.outcome !== null) return outcomes[call.outcome]
  return call.status === 'completed' ? { tone: 'mute', text: 'Completed' } : statuses[call.status]
}

export const campaignSign = (status: CampaignStatus): Sign => campaigns[status]

export const agentSign = (status: keyof typeof agents): Sign => agents[status]

const waits: Record<WaitingFor, string> = {
  schedule: 'its time',
  calling_hours: 'calling hours',
  concurrency: 'a free line',
  campaign_paused: 'the paused campaign',
  agent_not_live: 'its agent to be live',
  number_not_active: 'an active number',
  retry: 'the next attempt',
}

/** What a call waits for, after "Waits for". Null: nothing hinders it. */
export const waitsFor = (reason: WaitingFor | null): string => (reason === null ? 'its turn' : waits[reason])

const deliveries = {
  pending: { tone: 'live', text: 'To be sent' },
  delivered: { tone: 'good', text: 'Delivered' },
  dead: { tone: 'bad', text: 'Given up' },
  gone: { tone: 'mute', text: 'Not wanted any more' },
} as const satisfies Record<string, Sign>

/** How far the delivery of an event is, after so many tries. */
export const deliverySign = (status: keyof typeof deliveries, tries: number): Sign =>
  status === 'pending' && tries > 0 ? { tone: 'warn', text: 'To be tried again' } : deliveries[status]

import type { CallOutcome, CallStatus, CampaignStatus, WaitingFor } from '@outdial/contract'
import type { ToolKindName } from '../../db/schema.ts'

/** How a state looks: the colours of badges, bars and points. */
export type Tone = 'good' | 'warn' | 'bad' | 'live' | 'mute'

export interface Badge {
  tone: Tone
  text: string
}

const outcomeBadges: Record<CallOutcome, Badge> = {
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

const callStatusBadges: Record<Exclude<CallStatus, 'completed'>, Badge> = {
  queued: { tone: 'mute', text: 'Waiting' },
  dialing: { tone: 'live', text: 'Dialing' },
  in_progress: { tone: 'live', text: 'In progress' },
}

const campaignBadges: Record<CampaignStatus, Badge> = {
  active: { tone: 'good', text: 'Active' },
  paused: { tone: 'warn', text: 'Paused' },
  archived: { tone: 'mute', text: 'Archived' },
}

const agentBadges: Record<'draft' | 'live' | 'paused', Badge> = {
  draft: { tone: 'mute', text: 'Draft' },
  live: { tone: 'good', text: 'Live' },
  paused: { tone: 'warn', text: 'Paused' },
}

/** Every outcome, in the order in which charts show them. */
export const outcomeOrder = Object.keys(outcomeBadges) as CallOutcome[]

export const outcomeBadge = (outcome: CallOutcome): Badge => outcomeBadges[outcome]

export const callBadge = (call: { status: CallStatus; outcome: CallOutcome | null }): Badge => {
  if (call.outcome !== null) return outcomeBadges[call.outcome]
  return call.status === 'completed' ? { tone: 'mute', text: 'Completed' } : callStatusBadges[call.status]
}

export const campaignBadge = (status: CampaignStatus): Badge => campaignBadges[status]

export const agentBadge = (status: keyof typeof agentBadges): Badge => agentBadges[status]

const waitReasons: Record<WaitingFor, string> = {
  schedule: 'its time',
  calling_hours: 'calling hours',
  concurrency: 'a free line',
  campaign_paused: 'the paused campaign',
  agent_not_live: 'its agent to be live',
  number_not_active: 'an active number',
  retry: 'the next attempt',
}

/** What a call waits for, after "Waits for". Null: nothing hinders it. */
export const formatWaitReason = (reason: WaitingFor | null): string =>
  reason === null ? 'its turn' : waitReasons[reason]

const deliveryBadges = {
  pending: { tone: 'live', text: 'To be sent' },
  delivered: { tone: 'good', text: 'Delivered' },
  exhausted: { tone: 'bad', text: 'Given up' },
  gone: { tone: 'mute', text: 'Not wanted any more' },
} as const satisfies Record<string, Badge>

/** How far the delivery of an event is, after so many tries. */
export const deliveryBadge = (status: keyof typeof deliveryBadges, attempts: number): Badge =>
  status === 'pending' && attempts > 0 ? { tone: 'warn', text: 'To be tried again' } : deliveryBadges[status]

/** Where a tool comes from, in a few words. */
export function formatToolKind(kind: ToolKindName): string {
  if (kind === 'http') return 'HTTP request'
  if (kind === 'remote_mcp') return 'MCP server'
  return 'Comes with Outdial'
}

export const phoneNumberBadge = (status: 'active' | 'retired'): Badge =>
  status === 'active' ? { tone: 'good', text: 'Active' } : { tone: 'mute', text: 'Retired' }

export const toolActiveBadge = (isActive: boolean): Badge =>
  isActive ? { tone: 'good', text: 'On' } : { tone: 'mute', text: 'Off' }

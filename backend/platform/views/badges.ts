import {
  type CallOutcome,
  type CallStatus,
  type CampaignStatus,
  nextInLineText,
  outcomeTexts,
  type WaitingFor,
  waitingForTexts,
} from '@outdial/contract'
import type { ToolKindName } from '../db/schema.ts'
import type { DeliveryStatus, SubscriptionEndedReason } from '../db/tables/webhook-tables.ts'

/** The color of a badge, bar, or timeline entry. */
export type Tone = 'good' | 'warn' | 'bad' | 'live' | 'mute'

export interface Badge {
  tone: Tone
  text: string
}

const outcomeBadges: Record<CallOutcome, Badge> = {
  answered: { tone: 'good', text: outcomeTexts.answered.label },
  voicemail: { tone: 'warn', text: outcomeTexts.voicemail.label },
  no_answer: { tone: 'warn', text: outcomeTexts.no_answer.label },
  busy: { tone: 'warn', text: outcomeTexts.busy.label },
  declined: { tone: 'warn', text: outcomeTexts.declined.label },
  failed: { tone: 'bad', text: outcomeTexts.failed.label },
  suppressed: { tone: 'mute', text: outcomeTexts.suppressed.label },
  expired: { tone: 'mute', text: outcomeTexts.expired.label },
  canceled: { tone: 'mute', text: outcomeTexts.canceled.label },
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

/** Returns why a call waits. Null means that nothing delays it. */
export const formatWaitReason = (reason: WaitingFor | null): string =>
  (reason === null ? nextInLineText : waitingForTexts[reason]).label

const deliveryBadges = {
  pending: { tone: 'live', text: 'Pending' },
  delivered: { tone: 'good', text: 'Delivered' },
  exhausted: { tone: 'bad', text: 'Failed – no retries left' },
  gone: { tone: 'mute', text: 'Stopped' },
} as const satisfies Record<Exclude<DeliveryStatus, 'canceled'>, Badge>

/** Returns the badge of a delivery. `attempts` counts its delivery attempts, and `endedReason` is that of its subscription. */
export function deliveryBadge(
  status: DeliveryStatus,
  attempts: number,
  endedReason?: SubscriptionEndedReason | null,
): Badge {
  if (status === 'pending' && attempts > 0) return { tone: 'warn', text: 'Retrying' }
  if (status !== 'canceled') return deliveryBadges[status]
  if (endedReason === undefined) return { tone: 'mute', text: 'Canceled' }
  return {
    tone: 'mute',
    text: endedReason === 'unsubscribed' ? 'Canceled: unsubscribed' : 'Canceled: subscription ended',
  }
}

/** Returns where a tool comes from. */
export function formatToolKind(kind: ToolKindName): string {
  if (kind === 'http') return 'HTTP request'
  if (kind === 'remote_mcp') return 'MCP server'
  return 'Built-in'
}

export const phoneNumberBadge = (status: 'active' | 'retired'): Badge =>
  status === 'active' ? { tone: 'good', text: 'Active' } : { tone: 'mute', text: 'Retired' }

export const toolActiveBadge = (isActive: boolean): Badge =>
  isActive ? { tone: 'good', text: 'On' } : { tone: 'mute', text: 'Off' }

import type { LimitingRule } from '../../platform/db/call-rules.ts'
import { type listOpenCampaigns } from '../../queue/campaigns/campaigns.ts'
import type { CallRules } from '../../queue/rules/call-rules.ts'
import { type PermittedPlan, type PlannedCallee, planPermittedCall } from '../../queue/rules/plan-call.ts'

export type OpenCampaign = Awaited<ReturnType<typeof listOpenCampaigns>>[number]

/** Returns the reason why a campaign places no calls, in words for a list; undefined if it places calls. */
export function describeBlocker({ status, agent_status, number_status }: OpenCampaign): string | undefined {
  if (status === 'paused') return 'paused'
  if (agent_status === 'draft') return 'agent is a draft'
  if (agent_status !== 'live') return 'agent paused'
  return number_status === 'active' ? undefined : 'number retired'
}

/** The contact to call, and what can keep a campaign from calling. */
export interface ContactToCall {
  callee: PlannedCallee
  /** The rules that calls follow; null while calls are simulated. */
  rules: CallRules | null
  /** The campaigns in which the contact already has a call. */
  openCampaignIds: readonly number[]
  /** Null if the user chooses the time of the call, which can be later. */
  now: Date | null
  /** The limits by day or month that stop calls now, by the ID of the phone number. */
  limitsReached: ReadonlyMap<number, LimitingRule>
}

/** Returns the reason why a campaign can't call a contact, in words for a list; undefined if it can. */
export function describeBlockerOf(campaign: OpenCampaign, contact: ContactToCall): string | undefined {
  const blocker = describeBlocker(campaign)
  if (blocker !== undefined) return blocker
  if (contact.openCampaignIds.includes(campaign.id)) return 'already has a call for this contact'
  if (contact.now === null) return undefined
  const { never, delays } = planNow(campaign, contact, contact.now)
  if (never !== null) return ruleLabels[never]
  const delay = delays.at(-1)
  if (delay !== undefined) return ruleLabels[delay]
  const limit = contact.limitsReached.get(campaign.phone_number_id)
  return limit && ruleLabels[limit]
}

/** Returns when a call that a campaign queues for a contact now can be placed, and what delays or prevents it. */
export const planNow = (
  campaign: OpenCampaign,
  { rules, callee }: Pick<ContactToCall, 'rules' | 'callee'>,
  now: Date,
): PermittedPlan =>
  planPermittedCall(
    rules,
    {
      callingHours: campaign.calling_hours,
      timeZone: campaign.time_zone,
      requires: {
        consentRequired: campaign.consent_required,
        consentMaxAgeDays: campaign.consent_max_age_days,
        oneConversationPerDay: campaign.one_conversation_per_day,
        closedOnFederalHolidays: campaign.closed_on_federal_holidays,
      },
    },
    callee,
    { from: now },
  )

const ruleLabels = {
  destination_not_allowed: 'country not called',
  calling_hours: 'outside calling hours',
  law: 'outside the hours by law, or on a closed day',
  consent_missing: 'consent missing',
  consent_expired: 'consent too old',
  frequency: 'called as often as allowed',
  no_permitted_hour: 'no permitted hour',
  number_limit: 'calls of the day used up',
  minutes_limit: 'too few minutes of the month left',
}

/** Returns the campaigns to choose from, each with the reason why it can't call. */
export const toCampaignOptions = (
  campaigns: readonly OpenCampaign[],
  describe: (campaign: OpenCampaign) => string | undefined = describeBlocker,
) =>
  campaigns.map((campaign) => {
    const blocker = describe(campaign)
    return {
      value: campaign.id,
      label: blocker === undefined ? campaign.name : `${campaign.name} (${blocker})`,
    }
  })

/**
 * Returns the campaign to suggest for a call: of those that can call the contact, the last one that did, or the only
 * one. Otherwise, the user must choose.
 */
export function suggestCampaign(
  campaigns: readonly OpenCampaign[],
  contact: ContactToCall,
  lastCampaignId: number | undefined,
): number | '' {
  const ready = campaigns.filter((campaign) => describeBlockerOf(campaign, contact) === undefined)
  const last = ready.find(({ id }) => id === lastCampaignId)
  const [only, ...others] = ready
  return last?.id ?? (only !== undefined && others.length === 0 ? only.id : '')
}

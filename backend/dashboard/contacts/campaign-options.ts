import { type listOpenCampaigns } from '../../campaigns/campaigns.ts'
import type { CallRules } from '../../rules/call-rules.ts'
import { planPermittedCall } from '../../rules/plan-call.ts'
import type { Callee } from '../../scheduling/calling-hours.ts'

export type OpenCampaign = Awaited<ReturnType<typeof listOpenCampaigns>>[number]

/** Returns why a campaign places no calls, in words for a list; undefined if it does. */
export function describeBlocker({ status, agent_status, number_status }: OpenCampaign): string | undefined {
  if (status === 'paused') return 'paused'
  if (agent_status === 'draft') return 'agent is a draft'
  if (agent_status !== 'live') return 'agent paused'
  return number_status === 'active' ? undefined : 'number retired'
}

/** Whom a campaign should call, and what keeps it from it. */
export interface ContactToCall {
  callee: Callee
  /** The rules that calls follow. */
  rules: CallRules
  /** The campaigns in which the contact already has a call. */
  openCampaignIds: readonly number[]
  /** Null if a later time can be chosen. */
  now: Date | null
}

/** Returns why a campaign can't call a contact, in words for a list; undefined if it can. */
export function describeBlockerOf(campaign: OpenCampaign, contact: ContactToCall): string | undefined {
  const blocker = describeBlocker(campaign)
  if (blocker !== undefined) return blocker
  if (contact.openCampaignIds.includes(campaign.id)) return 'already has a call for this contact'
  if (contact.now === null) return undefined
  const hours = { callingHours: campaign.calling_hours, timeZone: campaign.time_zone }
  const { at, isNever } = planPermittedCall(contact.rules, hours, contact.callee, { from: contact.now })
  return isNever || at > contact.now ? 'outside calling hours' : undefined
}

/** Returns the campaigns to choose from, each with what keeps it from calling. */
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
 * Returns the campaign to suggest for a call: the last one that called the contact, or the only one there is, if it can call
 * the contact. Otherwise, the user must choose.
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

import { type listOpenCampaigns } from '../../campaigns/campaigns.ts'
import type { Deps } from '../../deps.ts'
import { findLastCampaignOf } from './contact-queries.ts'

export type OpenCampaign = Awaited<ReturnType<typeof listOpenCampaigns>>[number]

/** Returns why a campaign places no calls, in words for a list; undefined if it does. */
export function describeBlocker({ status, agent_status, number_status }: OpenCampaign): string | undefined {
  if (status === 'paused') return 'paused'
  if (agent_status === 'draft') return 'agent is a draft'
  if (agent_status !== 'live') return 'agent paused'
  return number_status === 'active' ? undefined : 'number retired'
}

export const toCampaignOptions = (campaigns: readonly OpenCampaign[]) =>
  campaigns.map((campaign) => {
    const blocker = describeBlocker(campaign)
    return {
      value: campaign.id,
      label: blocker === undefined ? campaign.name : `${campaign.name} (${blocker})`,
    }
  })

/**
 * Returns the campaign to suggest for a call: the last one that called the contact, or the only one there is, if it can
 * place calls. Otherwise, the user must choose.
 */
export async function suggestCampaign(
  { db }: Pick<Deps, 'db'>,
  contact: { workspaceId: number; contactId: number },
  campaigns: readonly OpenCampaign[],
): Promise<number | ''> {
  const ready = campaigns.filter((campaign) => describeBlocker(campaign) === undefined)
  const lastId = await findLastCampaignOf(db, contact)
  if (ready.some(({ id }) => id === lastId)) return lastId ?? ''
  const [only, ...others] = ready
  return only !== undefined && others.length === 0 ? only.id : ''
}

import { listOpenCampaigns } from '../../campaigns/campaigns.ts'
import type { Deps } from '../../deps.ts'
import { findCallRules } from '../../rules/call-rules.ts'
import { formatPlural } from '../../views/format.ts'
import { planNow } from '../contacts/campaign-options.ts'
import { findCallee } from '../contacts/contact-queries.ts'

/**
 * Says which limits of how often a number is called make another call to a contact wait. Null if they don't. Calling again in
 * spite of them is a person's decision, so the page names them before it asks.
 */
export async function describeAgainLimit(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  { workspaceId, contactId, campaignId }: { workspaceId: number; contactId: number; campaignId: number },
): Promise<string | null> {
  const rules = await findCallRules(deps, workspaceId)
  const campaigns = rules === null ? [] : await listOpenCampaigns(deps, workspaceId)
  const campaign = campaigns.find(({ id }) => id === campaignId)
  if (rules === null || campaign === undefined) return null
  const callee = await findCallee(deps.db, { workspaceId, contactId })
  const { never, delayedBy } = planNow(campaign, { callee, rules }, deps.clock.now())
  if (never !== 'frequency' && delayedBy !== 'frequency') return null
  const { maxAttemptsPerDay: perDay, maxAttemptsPer30Days: per30Days } = rules
  const limits = [
    ...(perDay === null ? [] : [`${formatPlural(perDay, 'call attempt')} in 24 hours`]),
    ...(per30Days === null ? [] : [`${formatPlural(per30Days, 'call attempt')} in 30 days`]),
    ...(campaign.one_conversation_per_day ? ['one conversation in 24 hours'] : []),
  ]
  return `This number was called as often as allowed: ${listFormat.format(limits)}. It's called anyway, and that counts.`
}

const listFormat = new Intl.ListFormat('en-US')

import type { Deps } from '../../deps.ts'
import { formatPlural } from '../../platform/views/format.ts'
import { listOpenCampaigns } from '../../queue/campaigns/campaigns.ts'
import { type CallRules, findCallRules, noRules } from '../../queue/rules/call-rules.ts'
import { findFree } from '../../queue/rules/plan-call.ts'
import { planNow } from '../contacts/campaign-options.ts'
import { findCallee } from '../contacts/contact-queries.ts'

/**
 * Names the limits on how often a number may be called, if they would delay or prevent another call to a contact now.
 * Otherwise, returns null. A person can decide to call anyway, so the page names the limits before it asks.
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
  const now = deps.clock.now()
  const { never, delayedBy } = planNow(campaign, { callee, rules }, now)
  if (never !== 'frequency' && delayedBy !== 'frequency') return null
  const isReached = (limits: Partial<CallRules & { oneConversationPerDay: boolean }>): boolean =>
    findFree({ ...noRules, ...limits }, { oneConversationPerDay: false, ...limits }, callee.use, now) > now
  const { maxAttemptsPerDay, maxAttemptsPer30Days } = rules
  const limits = [
    ...(isReached({ maxAttemptsPerDay })
      ? [`${formatPlural(maxAttemptsPerDay ?? 0, 'call attempt')} in 24 hours`]
      : []),
    ...(isReached({ maxAttemptsPer30Days })
      ? [`${formatPlural(maxAttemptsPer30Days ?? 0, 'call attempt')} in 30 days`]
      : []),
    ...(isReached({ oneConversationPerDay: campaign.one_conversation_per_day })
      ? ['one conversation in 24 hours']
      : []),
  ]
  return `This number was called as often as allowed: ${listFormat.format(limits)}. It's called anyway, and that counts.`
}

const listFormat = new Intl.ListFormat('en-US')

import type { Deps } from '../../deps.ts'
import { describeMissing, findMissingNames } from '../calls/greeting.ts'

/**
 * Says which values the greeting of a campaign's agent needs but a contact lacks. Returns null if no value is missing, or if
 * the contact or the campaign doesn't exist.
 */
export async function describeMissingValues(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  { contactId, campaignId }: { contactId: number; campaignId: number },
): Promise<string | null> {
  const row = await db
    .selectFrom('campaign')
    .innerJoin('agent', 'agent.id', 'campaign.agent_id')
    .innerJoin('contact', 'contact.workspace_id', 'campaign.workspace_id')
    .select(['agent.greeting', 'contact.first_name', 'contact.last_name', 'contact.variables'])
    .where('campaign.workspace_id', '=', workspaceId)
    .where('campaign.id', '=', campaignId)
    .where('contact.id', '=', contactId)
    .executeTakeFirst()
  return row === undefined ? null : describeMissing(findMissingNames(row.greeting, row), 'has')
}

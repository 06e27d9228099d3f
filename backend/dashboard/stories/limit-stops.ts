import { waitingForTexts } from '@outdial/contract'
import { sql } from 'kysely'
import type { LimitingRule } from '../../platform/db/call-rules.ts'
import type { Db } from '../../platform/db/schema.ts'
import { formatPlural, type TimeFormats } from '../../platform/views/format.ts'

/** A campaign that only a limit of the workspace stops. */
export interface LimitStop {
  campaignId: number
  campaign: string
  by: LimitingRule
  until: Date
  /** Waiting calls that expire before the limit ends. */
  expiring: number
}

/** Maximum number of expiring calls that are counted. */
const maxExpiring = 1_000

/** Finds the campaigns of a workspace that a limit stops, sorted by name. With `campaignId`, checks only that campaign. */
export async function findLimitStops(
  db: Db,
  workspaceId: number,
  now: Date,
  campaignId: number | null = null,
): Promise<LimitStop[]> {
  const { rows } = await sql<LimitStop>`
    select campaign.id as "campaignId", campaign.name as campaign, limited_by as by, limited_until as until,
      (
        select count(*)::int from (
          select from call
          where call.workspace_id = ${workspaceId} and call.campaign_id = campaign.id and call.status = 'queued'
            and not call.test and call.due_at + interval '7 days' < limited_until
          limit ${maxExpiring}
        ) as expiring_call
      ) as expiring
    from campaign_queue
    join campaign on campaign.id = campaign_queue.campaign_id
    where campaign_queue.workspace_id = ${workspaceId} and limited_until > ${now} and campaign.status = 'active'
      and campaign.id = coalesce(${campaignId}::bigint, campaign.id)
    order by campaign.name, campaign.id`.execute(db)
  return rows
}

/** Says which limit stops campaigns, until when, and how many waiting calls expire before the limit ends. */
export function describeLimitStop(
  { by, until, expiring }: Pick<LimitStop, 'by' | 'until' | 'expiring'>,
  timeFormats: TimeFormats,
): string {
  const end = `The limit ends: ${timeFormats.upcomingTime(until)}.`
  const more = expiring === maxExpiring ? ' At least' : ''
  const expiry =
    expiring === 0
      ? ''
      : `${more} ${formatPlural(expiring, 'waiting call expires', 'waiting calls expire')} before then.`
  return `${waitingForTexts[by].meaning} ${end}${expiry}`
}

import type { CallOutcome, CampaignStatus } from '@outdial/contract'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../platform/core/errors.ts'
import { nameContains } from '../../platform/db/name-search.ts'
import type { Db } from '../../platform/db/schema.ts'

/** Returns campaigns with agent and number, newest first. Reads one more than `limit` to detect a next page. */
export const selectCampaignsWithDetails = (
  db: Db,
  workspaceId: number,
  filter: { status?: CampaignStatus; search?: string; campaignId?: number },
  page: { limit: number; offset: number },
) => {
  let query = db
    .selectFrom('campaign')
    .innerJoin('agent', 'agent.id', 'campaign.agent_id')
    .innerJoin('phone_number', 'phone_number.id', 'campaign.phone_number_id')
    .selectAll('campaign')
    .select([
      'agent.name as agent_name',
      'agent.status as agent_status',
      'phone_number.label as number_label',
      'phone_number.phone_number',
      'phone_number.status as number_status',
    ])
    .where('campaign.workspace_id', '=', workspaceId)
  if (filter.status) query = query.where('campaign.status', '=', filter.status)
  if (filter.search) query = query.where(nameContains('campaign.name', filter.search))
  if (filter.campaignId) query = query.where('campaign.id', '=', filter.campaignId)
  return query
    .orderBy('campaign.id', 'desc')
    .limit(page.limit + 1)
    .offset(page.offset)
    .execute()
}

/** A campaign with the names and states of its agent and number. */
export type CampaignWithDetails = Awaited<ReturnType<typeof selectCampaignsWithDetails>>[number]

/** @throws {ApiError} not_found */
export async function requireCampaignWithDetails(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  campaignId: number,
) {
  const firstRow = { limit: 1, offset: 0 }
  const [row] = await selectCampaignsWithDetails(db, workspaceId, { campaignId }, firstRow)
  if (row === undefined) throw notFound('campaign')
  return row
}

/** Number of a campaign's calls by state, without test calls. */
export interface CampaignProgress {
  queuedCount: number
  live: number
  outcomes: Partial<Record<CallOutcome, number>>
}

/** Returns progress by campaign ID. Campaigns without calls aren't included. */
export async function selectCampaignProgress(
  db: Db,
  workspaceId: number,
  campaignIds: readonly number[],
): Promise<Map<number, CampaignProgress>> {
  const anyCampaignId = sql<number>`any(${campaignIds}::bigint[])`
  const counts = await db
    .selectFrom('call')
    .select(['campaign_id', 'outcome'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('campaign_id', '=', anyCampaignId)
    .where('outcome', 'is not', null)
    .where('test', '=', false)
    .groupBy(['campaign_id', 'outcome'])
    .execute()
  const open = await db
    .selectFrom('call')
    .select(['campaign_id', 'status'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('campaign_id', '=', anyCampaignId)
    .where('status', '!=', 'completed')
    .where('test', '=', false)
    .groupBy(['campaign_id', 'status'])
    .execute()
  const progress = new Map<number, CampaignProgress>()
  const getProgress = (campaignId: number) => {
    const found = progress.get(campaignId) ?? { queuedCount: 0, live: 0, outcomes: {} }
    progress.set(campaignId, found)
    return found
  }
  for (const { campaign_id, outcome, count } of counts) {
    if (outcome !== null) getProgress(campaign_id).outcomes[outcome] = Number(count)
  }
  for (const { campaign_id, status, count } of open) {
    getProgress(campaign_id)[status === 'queued' ? 'queuedCount' : 'live'] += Number(count)
  }
  return progress
}

/** Returns the Live agents, active numbers, and default settings for a new campaign. */
export const selectCampaignChoices = async (db: Db, workspaceId: number) => ({
  agents: await db
    .selectFrom('agent')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'live')
    .orderBy('name')
    .orderBy('id')
    .execute(),
  numbers: await db
    .selectFrom('phone_number')
    .select(['id', 'label', 'phone_number'])
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'active')
    .orderBy('label')
    .orderBy('id')
    .execute(),
  defaults: await db
    .selectFrom('workspace')
    .select(['time_zone', 'calling_hours'])
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow(),
})

import type { CallingHours, Campaign, CampaignQuery, ConsentRequired, RetryPolicy } from '@outdial/contract'
import { type Selectable, sql } from 'kysely'
import { prepared } from '../../platform/db/connect.ts'
import { nameContains } from '../../platform/db/name-search.ts'
import type { Database, Db } from '../../platform/db/schema.ts'

const campaignColumns = [
  'id',
  'name',
  'status',
  'agent_id',
  'phone_number_id',
  'time_zone',
  'calling_hours',
  'max_concurrent_calls',
  'retry',
  'consent_required',
  'consent_max_age_days',
  'one_conversation_per_day',
  'closed_on_federal_holidays',
  'paused_reason',
  'created_at',
] as const

const ofAgent = <Value>(column: string) => sql<Value>`(
  select ${sql.ref(`agent.${column}`)} from agent
  where agent.workspace_id = campaign.workspace_id and agent.id = campaign.agent_id
)`

/** The columns of a campaign's agent and phone number that the API returns. */
const calledWith = [
  ofAgent<string>('name').as('agent_name'),
  ofAgent<string[]>('variables').as('agent_variables'),
  sql<string>`(
    select phone_number.phone_number from phone_number
    where phone_number.workspace_id = campaign.workspace_id and phone_number.id = campaign.phone_number_id
  )`.as('phone_number'),
] as const

interface CampaignRow extends Pick<Selectable<Database['campaign']>, (typeof campaignColumns)[number]> {
  agent_name: string
  agent_variables: string[]
  phone_number: string
}

/** A campaign as the API shows it, without the URL of its page and without `opens_at`, which depends on the time. */
export type StoredCampaign = Omit<Campaign, 'url' | 'opens_at'>

const toCampaign = (row: CampaignRow): StoredCampaign => ({
  ...row,
  created_at: row.created_at.toISOString(),
})

/** Selects campaigns in order of ID, or newest first. Returns one more than `limit` if there are more. */
export async function selectCampaigns(
  db: Db,
  workspaceId: number,
  query: CampaignQuery,
): Promise<StoredCampaign[]> {
  const rows = await db
    .selectFrom('campaign')
    .select([...campaignColumns, ...calledWith])
    .modifyFront(prepared)
    .where('workspace_id', '=', workspaceId)
    .$if(query.search !== undefined, (campaigns) => campaigns.where(nameContains('name', query.search ?? '')))
    .$if(query.status !== undefined, (campaigns) => campaigns.where('status', 'in', query.status ?? []))
    .orderBy('id', query.order === 'newest' ? 'desc' : 'asc')
    .limit(query.limit + 1)
    .offset(query.offset)
    .execute()
  return rows.map(toCampaign)
}

/** The settings of a campaign that can be edited. */
export interface CampaignSettings {
  name: string
  timeZone: string
  callingHours: CallingHours
  maxConcurrentCalls: number
  retry: RetryPolicy
  consentRequired: ConsentRequired
  consentMaxAgeDays: number | null
  oneConversationPerDay: boolean
  closedOnFederalHolidays: boolean
}

interface CampaignValues extends CampaignSettings {
  agentId: number
  phoneNumberId: number
  createdAt: Date
}

export async function insertCampaign(
  db: Db,
  workspaceId: number,
  values: CampaignValues,
): Promise<StoredCampaign> {
  const row = await db
    .insertInto('campaign')
    .values({
      workspace_id: workspaceId,
      name: values.name,
      agent_id: values.agentId,
      phone_number_id: values.phoneNumberId,
      time_zone: values.timeZone,
      calling_hours: JSON.stringify(values.callingHours),
      max_concurrent_calls: values.maxConcurrentCalls,
      retry: JSON.stringify(values.retry),
      consent_required: values.consentRequired,
      consent_max_age_days: values.consentMaxAgeDays,
      one_conversation_per_day: values.oneConversationPerDay,
      closed_on_federal_holidays: values.closedOnFederalHolidays,
      created_at: values.createdAt,
    })
    .returning([...campaignColumns, ...calledWith])
    .executeTakeFirstOrThrow()
  return toCampaign(row)
}

/**
 * Reads what a new campaign depends on: the workspace's defaults, and the statuses of the agent and the phone number. A
 * status is null if the workspace doesn't have that agent or phone number.
 */
export function findCampaignContext(
  db: Db,
  workspaceId: number,
  ids: { agentId: number; phoneNumberId: number },
) {
  return db
    .selectFrom('workspace')
    .leftJoin('agent', (join) =>
      join.onRef('agent.workspace_id', '=', 'workspace.id').on('agent.id', '=', ids.agentId),
    )
    .leftJoin('phone_number', (join) =>
      join
        .onRef('phone_number.workspace_id', '=', 'workspace.id')
        .on('phone_number.id', '=', ids.phoneNumberId),
    )
    .select([
      'workspace.time_zone as timeZone',
      'workspace.calling_hours as callingHours',
      'agent.status as agentStatus',
      'phone_number.status as numberStatus',
    ])
    .where('workspace.id', '=', workspaceId)
    .executeTakeFirstOrThrow()
}

export async function findCampaign(
  db: Db,
  workspaceId: number,
  campaignId: number,
): Promise<StoredCampaign | undefined> {
  const row = await db
    .selectFrom('campaign')
    .select([...campaignColumns, ...calledWith])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', campaignId)
    .executeTakeFirst()
  return row && toCampaign(row)
}

/** Changes to a campaign. Omitted properties keep their values. */
export interface CampaignChanges extends Partial<CampaignSettings> {
  status?: Campaign['status']
  pausedReason?: string | null
  providerFailures?: number
  /** Queued calls with a higher ID are rescheduled. 0 reschedules all queued calls. */
  rescheduleAfterCallId?: number
}

export async function updateCampaign(
  db: Db,
  workspaceId: number,
  campaignId: number,
  changes: CampaignChanges,
): Promise<StoredCampaign> {
  const row = await db
    .updateTable('campaign')
    .set({
      status: changes.status,
      paused_reason: changes.pausedReason,
      provider_failures: changes.providerFailures,
      name: changes.name,
      time_zone: changes.timeZone,
      calling_hours: changes.callingHours && JSON.stringify(changes.callingHours),
      max_concurrent_calls: changes.maxConcurrentCalls,
      retry: changes.retry && JSON.stringify(changes.retry),
      consent_required: changes.consentRequired,
      consent_max_age_days: changes.consentMaxAgeDays,
      one_conversation_per_day: changes.oneConversationPerDay,
      closed_on_federal_holidays: changes.closedOnFederalHolidays,
      reschedule_after_call_id: changes.rescheduleAfterCallId,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', campaignId)
    .returning([...campaignColumns, ...calledWith])
    .executeTakeFirstOrThrow()
  return toCampaign(row)
}

/** Selects the campaigns that accept calls, in order of name. */
export const selectOpenCampaigns = (db: Db, workspaceId: number) =>
  db
    .selectFrom('campaign')
    .innerJoin('agent', 'agent.id', 'campaign.agent_id')
    .innerJoin('phone_number', 'phone_number.id', 'campaign.phone_number_id')
    .select([
      'campaign.id',
      'campaign.name',
      'campaign.status',
      'campaign.phone_number_id',
      'campaign.calling_hours',
      'campaign.time_zone',
      'campaign.one_conversation_per_day',
      'campaign.closed_on_federal_holidays',
      'campaign.consent_required',
      'campaign.consent_max_age_days',
    ])
    .select(['agent.status as agent_status', 'phone_number.status as number_status'])
    .where('campaign.workspace_id', '=', workspaceId)
    .where('campaign.status', '<>', 'archived')
    .orderBy('campaign.name')
    .orderBy('campaign.id')
    .execute()

import type { CallingHours, Campaign, RetryPolicy, SearchQuery } from '@outdial/contract'
import type { Selectable } from 'kysely'
import type { Database, Db } from '../db/schema.ts'
import { nameContains } from '../db/search.ts'

const columns = [
  'id',
  'name',
  'status',
  'agent_id',
  'phone_number_id',
  'time_zone',
  'calling_hours',
  'max_concurrent_calls',
  'retry',
  'paused_reason',
  'created_at',
] as const

type CampaignRow = Pick<Selectable<Database['campaign']>, (typeof columns)[number]>

const toCampaign = (row: CampaignRow): Campaign => ({ ...row, created_at: row.created_at.toISOString() })

/** Campaigns by id; one row more than `limit` where there are more. */
export async function selectCampaigns(db: Db, workspaceId: number, query: SearchQuery): Promise<Campaign[]> {
  const rows = await db
    .selectFrom('campaign')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .$if(query.search !== undefined, (campaigns) => campaigns.where(nameContains('name', query.search ?? '')))
    .orderBy('id')
    .limit(query.limit + 1)
    .offset(query.offset)
    .execute()
  return rows.map(toCampaign)
}

/** What a campaign is made of. */
export interface CampaignValues {
  name: string
  agentId: number
  phoneNumberId: number
  timeZone: string
  callingHours: CallingHours
  maxConcurrentCalls: number
  retry: RetryPolicy
  createdAt: Date
}

export async function insertCampaign(db: Db, workspaceId: number, values: CampaignValues): Promise<Campaign> {
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
      created_at: values.createdAt,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return toCampaign(row)
}

/** What a new campaign depends on; a status is null where the workspace has no such agent or number. */
export function selectCampaignBasis(
  db: Db,
  workspaceId: number,
  parts: { agentId: number; phoneNumberId: number },
) {
  return db
    .selectFrom('workspace')
    .leftJoin('agent', (join) =>
      join.onRef('agent.workspace_id', '=', 'workspace.id').on('agent.id', '=', parts.agentId),
    )
    .leftJoin('phone_number', (join) =>
      join
        .onRef('phone_number.workspace_id', '=', 'workspace.id')
        .on('phone_number.id', '=', parts.phoneNumberId),
    )
    .select([
      'workspace.time_zone',
      'workspace.calling_hours',
      'agent.status as agent_status',
      'phone_number.status as number_status',
    ])
    .where('workspace.id', '=', workspaceId)
    .executeTakeFirstOrThrow()
}

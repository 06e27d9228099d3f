import type { Agent, SearchQuery } from '@outdial/contract'
import { prepared } from '../../platform/db/connect.ts'
import { nameContains } from '../../platform/db/name-search.ts'
import type { Db } from '../../platform/db/schema.ts'

/** Returns Live agents by ID, and one row more than `limit` if there are more. */
export function selectLiveAgents(db: Db, workspaceId: number, query: SearchQuery): Promise<Agent[]> {
  return db
    .selectFrom('agent')
    .select(['id', 'name', 'language', 'variables'])
    .modifyFront(prepared)
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'live')
    .$if(query.search !== undefined, (agents) => agents.where(nameContains('name', query.search ?? '')))
    .orderBy('id')
    .limit(query.limit + 1)
    .offset(query.offset)
    .execute()
}

export interface AgentValues {
  name: string
  status: 'draft' | 'live' | 'paused'
  /** BCP 47; en-US by default. */
  language?: string
  greeting: string
  /** Names of contact variables that the script uses. */
  variables: string[]
}

export interface CreatedAgent {
  id: number
  name: string
  status: AgentValues['status']
  /** The ID that agent runtimes use. */
  widget_id: string
}

export const insertAgent = (db: Db, workspaceId: number, values: AgentValues): Promise<CreatedAgent> =>
  db
    .insertInto('agent')
    .values({ workspace_id: workspaceId, ...values })
    .returning(['id', 'name', 'status', 'widget_id'])
    .executeTakeFirstOrThrow()

export const hasAgent = async (db: Db, workspaceId: number, agentId: number): Promise<boolean> =>
  (await db
    .selectFrom('agent')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', agentId)
    .executeTakeFirst()) !== undefined

export const updateAgentStatus = async (
  db: Db,
  workspaceId: number,
  agentId: number,
  status: AgentValues['status'],
): Promise<void> => {
  await db
    .updateTable('agent')
    .set({ status })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', agentId)
    .execute()
}

export async function updateAgent(
  db: Db,
  workspaceId: number,
  agentId: number,
  values: Omit<AgentValues, 'status'>,
): Promise<void> {
  await db
    .updateTable('agent')
    .set(values)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', agentId)
    .execute()
}

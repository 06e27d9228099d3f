import type { Agent, AgentResult, SearchQuery } from '@outdial/contract'
import { sql } from 'kysely'
import type { Actor } from '../../platform/core/actor.ts'
import { prepared } from '../../platform/db/connect.ts'
import { nameContains } from '../../platform/db/name-search.ts'
import type { AgentStatus, Db } from '../../platform/db/schema.ts'
import type { AgentValues, StoredVersion } from './agent-values.ts'

/** Returns Live agents, sorted by ID. Returns one row more than `limit` if there are more. */
export function selectLiveAgents(db: Db, workspaceId: number, query: SearchQuery): Promise<Agent[]> {
  return db
    .selectFrom('agent')
    .select(['id', 'name', 'language', 'variables', publishedResults.as('results')])
    .modifyFront(prepared)
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'live')
    .$if(query.search !== undefined, (agents) => agents.where(nameContains('name', query.search ?? '')))
    .orderBy('id')
    .limit(query.limit + 1)
    .offset(query.offset)
    .execute()
}

/** SQL for the results in an agent's published version, the one that calls use. */
const publishedResults = sql<AgentResult[]>`coalesce((
  select "values" -> 'results' from agent_version
  where agent_version.agent_id = agent.id and agent_version.number = agent.version
), '[]')`

export interface CreatedAgent {
  id: number
  name: string
  status: AgentStatus
  /** The ID that agent runtimes use. */
  widget_id: string
}

/** Returns the columns of an agent that repeat the values of its published version. Lists and the API read them. */
const publishedColumns = ({ name, language, greeting, variables }: AgentValues) => ({
  name,
  language,
  greeting,
  variables,
})

export const insertAgent = (
  db: Db,
  workspaceId: number,
  { status, ...values }: AgentValues & { status: AgentStatus },
): Promise<CreatedAgent> =>
  db
    .insertInto('agent')
    .values({ workspace_id: workspaceId, status, ...publishedColumns(values) })
    .returning(['id', 'name', 'status', 'widget_id'])
    .executeTakeFirstOrThrow()

export const insertVersion = async (
  db: Db,
  key: { workspaceId: number; agentId: number; number: number },
  values: AgentValues,
  createdBy: Actor | null,
): Promise<void> => {
  const { workspaceId: workspace_id, agentId: agent_id, number } = key
  await db
    .insertInto('agent_version')
    .values({
      ...{ workspace_id, agent_id, number },
      values: JSON.stringify(values),
      created_by: createdBy && JSON.stringify(createdBy),
    })
    .execute()
  await db
    .updateTable('agent')
    .set({ newest_version: number })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', agent_id)
    .execute()
}

/** Returns a version of an agent. Returns undefined if the agent, or this version of it, doesn't exist. */
export const findVersion = (
  db: Db,
  workspaceId: number,
  agentId: number,
  number: number,
): Promise<StoredVersion | undefined> =>
  db
    .selectFrom('agent')
    .leftJoin('agent_version', (join) =>
      join.onRef('agent_version.agent_id', '=', 'agent.id').on('agent_version.number', '=', number),
    )
    .select([
      sql<number>`${number}::int`.as('number'),
      'agent_version.values',
      'agent_version.created_by',
      sql<Date>`coalesce(agent_version.created_at, agent.created_at)`.as('created_at'),
      'agent.version as published',
      'agent.name',
      'agent.language',
      'agent.greeting',
      'agent.variables',
    ])
    .where('agent.workspace_id', '=', workspaceId)
    .where('agent.id', '=', agentId)
    .where((eb) => eb.or([eb('agent_version.number', 'is not', null), eb('agent.version', '=', number)]))
    .executeTakeFirst()

/** Returns an agent's versions, newest first. */
export const selectVersions = (db: Db, workspaceId: number, agentId: number, limit: number) =>
  db
    .selectFrom('agent_version')
    .select(['number', 'created_by', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .orderBy('number', 'desc')
    .limit(limit)
    .execute()

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
  status: AgentStatus,
): Promise<void> => {
  await db
    .updateTable('agent')
    .set({ status })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', agentId)
    .execute()
}

/** Publishes a version, so that calls use it. */
export const updatePublished = async (
  db: Db,
  workspaceId: number,
  agentId: number,
  { version, values }: { version: number; values: AgentValues },
): Promise<void> => {
  await db
    .updateTable('agent')
    .set({ version, ...publishedColumns(values) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', agentId)
    .execute()
}

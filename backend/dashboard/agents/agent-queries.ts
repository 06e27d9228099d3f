import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import type { Db } from '../../platform/db/schema.ts'
import type { AgentValues } from '../../queue/agents/agent-values.ts'
import { agentNotFound, findAgentVersion } from '../../queue/agents/agents.ts'

export type AgentWithCounts = Awaited<ReturnType<typeof selectAgentsWithCounts>>[number]

/** Returns a workspace's agents, sorted by name, with their number of tools and unarchived campaigns. `agentId` selects one. */
export const selectAgentsWithCounts = (db: Db, workspaceId: number, agentId?: number) =>
  db
    .selectFrom('agent')
    .selectAll()
    .select([
      sql<number>`(select count(*)::int from widget_tool where widget_tool.agent_id = agent.id)`.as('tools'),
      sql<number>`(
        select count(*)::int from campaign where campaign.agent_id = agent.id and campaign.status <> 'archived'
      )`.as('campaigns'),
    ])
    .where('workspace_id', '=', workspaceId)
    .$if(agentId !== undefined, (agents) => agents.where('id', '=', agentId ?? 0))
    .orderBy('name')
    .orderBy('id')
    .execute()

/** Returns the campaigns that use an agent, archived ones last. */
export const selectCampaignsOfAgent = (db: Db, workspaceId: number, agentId: number, limit: number) =>
  db
    .selectFrom('campaign')
    .select(['id', 'name', 'status'])
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .orderBy(sql`status = 'archived'`)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** Counts an agent's queued calls. */
export async function countWaitingCallsOfAgent(
  db: Db,
  workspaceId: number,
  agentId: number,
): Promise<number> {
  const { waiting } = await db
    .selectFrom('call')
    .select(sql<number>`count(*)::int`.as('waiting'))
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .where('status', '=', 'queued')
    .executeTakeFirstOrThrow()
  return waiting
}

/** @throws {ApiError} not_found */
export async function getAgent(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  agentId: number,
): Promise<AgentWithCounts> {
  const [agent] = await selectAgentsWithCounts(db, workspaceId, agentId)
  if (agent === undefined) throw agentNotFound()
  return agent
}

/**
 * Returns what an agent's form edits: the newest version, which calls may not use yet.
 *
 * @throws {ApiError} not_found
 */
export async function getNewestVersion(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  agentId: number,
): Promise<AgentValues> {
  const { newest_version } = await getAgent(deps, workspaceId, agentId)
  return (await findAgentVersion(deps.db, workspaceId, agentId, newest_version)).values
}

/** Counts the subscriptions that receive the calls of an agent. */
export async function countSubscriptionsOfAgent(
  db: Db,
  workspaceId: number,
  agentId: number,
): Promise<number> {
  const { subscriptions } = await db
    .selectFrom('webhook_subscription')
    .select(sql<number>`count(*)::int`.as('subscriptions'))
    .where('workspace_id', '=', workspaceId)
    .where('disabled_at', 'is', null)
    .where('ended_at', 'is', null)
    .where(sql<boolean>`coalesce((filter ->> 'agent_id')::bigint, ${agentId}) = ${agentId}`)
    .executeTakeFirstOrThrow()
  return subscriptions
}

import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { type AgentWithCounts, selectAgentsWithCounts } from '../dashboard/agents/agent-queries.ts'

/** @throws {ApiError} not_found */
export const getAgent =
  ({ db }: Pick<Deps, 'db'>) =>
  async ({ workspaceId, agentId }: { workspaceId: number; agentId: number }): Promise<AgentWithCounts> => {
    const [agent] = await selectAgentsWithCounts(db, workspaceId, agentId)
    if (agent === undefined) throw agentNotFound()
    return agent
  }

export const agentNotFound = () => notFound('There is no agent with this id in this workspace.')

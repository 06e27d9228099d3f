import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { type AgentForPeople, selectAgentsForPeople } from '../dashboard/agents/agent-queries.ts'

/** @throws {ApiError} not_found */
export const getAgent =
  ({ db }: Pick<Deps, 'db'>) =>
  async ({ workspaceId, agentId }: { workspaceId: number; agentId: number }): Promise<AgentForPeople> => {
    const [agent] = await selectAgentsForPeople(db, workspaceId, agentId)
    if (agent === undefined) throw noSuchAgent()
    return agent
  }

export const noSuchAgent = () => notFound('There is no agent with this id in this workspace.')

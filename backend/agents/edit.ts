import type { Deps } from '../deps.ts'
import { type AgentInput, validateAgent } from './validate-agent.ts'
import { agentNotFound } from './get.ts'
import { updateAgent } from './agent-store.ts'

/**
 * Edits an agent. Calls that begin from then on are made with it; those under way go on as they began.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const editAgent =
  ({ db }: Pick<Deps, 'db'>) =>
  async ({ workspaceId, agentId }: AgentKey, edit: AgentInput): Promise<void> => {
    const isUpdated = await updateAgent(db, workspaceId, agentId, validateAgent(edit))
    if (!isUpdated) throw agentNotFound()
  }

interface AgentKey {
  workspaceId: number
  agentId: number
}

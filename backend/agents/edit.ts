import type { Deps } from '../deps.ts'
import { type AgentTexts, checkAgent } from './validate-agent.ts'
import { noSuchAgent } from './get.ts'
import { updateAgent } from './agent-store.ts'

/**
 * Edits an agent. Calls that begin from then on are made with it; those under way go on as they began.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const editAgent =
  ({ db }: Pick<Deps, 'db'>) =>
  async ({ workspaceId, agentId }: AgentKey, edit: AgentTexts): Promise<void> => {
    const isThere = await updateAgent(db, workspaceId, agentId, checkAgent(edit))
    if (!isThere) throw noSuchAgent()
  }

interface AgentKey {
  workspaceId: number
  agentId: number
}

import type { Deps } from '../deps.ts'
import { validateAgent } from './validate-agent.ts'
import { type AgentValues, type CreatedAgent, insertAgent } from './agent-store.ts'

/**
 * Makes an agent; it calls nobody before it is Live. The public API has no way to.
 *
 * @throws {ApiError} validation_failed
 */
export const createAgent =
  (deps: Pick<Deps, 'db'>) =>
  async (workspaceId: number, { status, ...input }: AgentValues): Promise<CreatedAgent> =>
    insertAgent(deps.db, workspaceId, { ...validateAgent(input), status })

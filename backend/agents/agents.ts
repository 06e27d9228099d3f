import type { Deps } from '../deps.ts'
import { invalidField, notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { type AgentValues, lockAgent, updateAgentStatus } from './agent-store.ts'

/** draft → live ⇄ paused. */
const nextStatuses: Record<AgentValues['status'], readonly AgentValues['status'][]> = {
  draft: ['live'],
  live: ['paused'],
  paused: ['live'],
}

/**
 * Publishes, pauses or resumes an agent. While it is not Live its calls wait; those under way go on.
 *
 * @throws {ApiError} not_found, validation_failed for a step that there is not
 */
export const setAgentStatus =
  (deps: Deps) =>
  (agentKey: { workspaceId: number; agentId: number }, status: AgentValues['status']): Promise<void> =>
    inTransaction(deps, async (tx) => {
      const { workspaceId, agentId } = agentKey
      const current = await lockAgent(tx.db, workspaceId, agentId)
      if (current === undefined) throw notFound('There is no agent with this id in this workspace.')
      if (current.status === status) return
      if (!nextStatuses[current.status].includes(status)) {
        const message = `An agent that is ${current.status} cannot become ${status}: it can become ${nextStatuses[current.status].join(' or ')}.`
        throw invalidField('status', 'invalid_transition', message)
      }
      await updateAgentStatus(tx.db, workspaceId, agentId, status)
      tx.notify.callQueued()
      tx.notify.toolsChanged(agentKey)
    })

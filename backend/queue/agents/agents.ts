import type { Agent, SearchQuery } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { FormError, invalidField } from '../../platform/core/form-errors.ts'
import { type Page, toPage } from '../../platform/core/pagination.ts'
import { lockAgent } from '../../platform/db/locks.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import {
  type AgentValues,
  type CreatedAgent,
  insertAgent,
  selectLiveAgents,
  updateAgent,
  updateAgentStatus,
} from './agent-store.ts'
import { type AgentInput, requireGoodPlaceholders, validateAgent } from './validate-agent.ts'

/** draft → live ⇄ paused. */
const nextStatuses: Record<AgentValues['status'], readonly AgentValues['status'][]> = {
  draft: ['live'],
  live: ['paused'],
  paused: ['live'],
}

/**
 * Publishes, pauses, or resumes an agent. Until it's Live, its calls wait; those in progress continue.
 *
 * @throws {ApiError} not_found, validation_failed if the agent's current status can't change to this one, or if it can't be Live
 *   with its greeting
 */
export const setAgentStatus = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  agentId: number,
  status: AgentValues['status'],
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const current = await lockAgent(tx.db, workspaceId, agentId)
    if (current === undefined) throw agentNotFound()
    if (current.status === status) return
    if (!nextStatuses[current.status].includes(status)) {
      const message = `The agent's status is now ${current.status}, so it can't be changed to ${status}. Reload the page.`
      throw invalidField('status', 'invalid_transition', message)
    }
    if (status === 'live') requireGoodPlaceholders(current)
    await updateAgentStatus(tx.db, workspaceId, agentId, status)
    tx.notify.callQueued()
    tx.notify.toolsChanged({ workspaceId, agentId })
  })

export { type CreatedAgent, hasAgent } from './agent-store.ts'

export const agentNotFound = () =>
  new FormError(
    'not_found',
    'This workspace has no agent with this ID. To see its agents, open the Agents page or run list-agents.',
  )

/** Lists the workspace's Live agents. */
export const listAgents = async (
  deps: Pick<Deps, 'db'>,
  caller: Caller,
  query: SearchQuery,
): Promise<Page<Agent>> => toPage(await selectLiveAgents(deps.db, caller.workspaceId, query), query.limit)

/**
 * Creates an agent. It makes no calls until it's Live. The public API can't create agents.
 *
 * @throws {ApiError} validation_failed
 */
export const createAgent = async (
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  { status, ...input }: AgentValues,
): Promise<CreatedAgent> => insertAgent(deps.db, workspaceId, { ...validateAgent(input, status), status })

/**
 * Edits an agent. Calls that start later use the new values; those in progress keep the old ones.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const editAgent = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  agentId: number,
  edit: AgentInput,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const current = await lockAgent(tx.db, workspaceId, agentId)
    if (current === undefined) throw agentNotFound()
    await updateAgent(tx.db, workspaceId, agentId, validateAgent(edit, current.status))
  })

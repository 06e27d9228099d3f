import type { Agent, SearchQuery } from '@outdial/contract'
import type { Caller } from '../core/caller.ts'
import { invalidField, notFound } from '../core/errors.ts'
import { type Page, toPage } from '../core/pagination.ts'
import { lockAgent } from '../db/locks.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import {
  type AgentValues,
  type CreatedAgent,
  insertAgent,
  selectLiveAgents,
  updateAgent,
  updateAgentStatus,
} from './agent-store.ts'
import { type AgentInput, validateAgent } from './validate-agent.ts'

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
export const setAgentStatus = (
  deps: Deps,
  agentKey: { workspaceId: number; agentId: number },
  status: AgentValues['status'],
): Promise<void> =>
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

export const agentNotFound = () => notFound('There is no agent with this id in this workspace.')

/** Lists the workspace's Live agents. */
export const listAgents = async (
  deps: Pick<Deps, 'db'>,
  caller: Caller,
  query: SearchQuery,
): Promise<Page<Agent>> => toPage(await selectLiveAgents(deps.db, caller.workspaceId, query), query.limit)

/**
 * Makes an agent; it calls nobody before it is Live. The public API has no way to.
 *
 * @throws {ApiError} validation_failed
 */
export const createAgent = async (
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  { status, ...input }: AgentValues,
): Promise<CreatedAgent> => insertAgent(deps.db, workspaceId, { ...validateAgent(input), status })

/**
 * Edits an agent. Calls that begin from then on are made with it; those under way go on as they began.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export async function editAgent(
  { db }: Pick<Deps, 'db'>,
  { workspaceId, agentId }: AgentKey,
  edit: AgentInput,
): Promise<void> {
  const isUpdated = await updateAgent(db, workspaceId, agentId, validateAgent(edit))
  if (!isUpdated) throw agentNotFound()
}

interface AgentKey {
  workspaceId: number
  agentId: number
}

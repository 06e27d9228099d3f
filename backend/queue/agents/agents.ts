import { isDeepStrictEqual } from 'node:util'
import type { Agent, SearchQuery } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import type { Actor } from '../../platform/core/actor.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { FormError, invalidField } from '../../platform/core/form-errors.ts'
import { type Page, toPage } from '../../platform/core/pagination.ts'
import { lockAgent } from '../../platform/db/locks.ts'
import type { AgentStatus } from '../../platform/db/schema.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import {
  type CreatedAgent,
  findVersion,
  insertAgent,
  insertVersion,
  selectLiveAgents,
  updateAgentStatus,
  updatePublished,
} from './agent-store.ts'
import { type AgentValues, type StoredVersion, toAgentValues } from './agent-values.ts'
import { type AgentInput, requirePublishable, validateAgent } from './validate-agent.ts'

export { type CreatedAgent, hasAgent, selectVersions } from './agent-store.ts'

export const agentNotFound = () =>
  new FormError(
    'not_found',
    'This workspace has no agent with this ID. To see its agents, open the Agents page or run list-agents.',
  )

const versionNotFound = () =>
  new FormError(
    'not_found',
    'This workspace has no agent with this ID and version. To see its agents, open the Agents page.',
  )

const newerVersion = (version: number) =>
  new FormError(
    'validation_failed',
    `Version ${version} was saved after you opened the page, so nothing was published. Check its changes, then publish it.`,
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
export const createAgent = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  { status, ...input }: AgentInput & { status: AgentStatus },
  by: Actor | null = null,
): Promise<CreatedAgent> =>
  inTransaction(deps, async (tx) => {
    const values = validateAgent(input)
    if (status === 'live') requirePublishable(values)
    const agent = await insertAgent(tx.db, workspaceId, { ...values, status })
    await insertVersion(tx.db, { workspaceId, agentId: agent.id, number: 1 }, values, by)
    return agent
  })

/**
 * Saves an agent as a new version, which calls use once it's published. A draft has no calls, so its new version is published
 * at once. Does nothing if the values are those of the newest version.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const saveAgent = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  agentId: number,
  input: AgentInput,
  by: Actor | null,
): Promise<{ isPublished: boolean }> =>
  inTransaction(deps, async (tx) => {
    const current = await lockAgent(tx.db, workspaceId, agentId)
    if (current === undefined) throw agentNotFound()
    const newest = await getVersion(tx, workspaceId, agentId, current.newest_version)
    const values = validateAgent(input, newest)
    if (isDeepStrictEqual(values, newest)) return { isPublished: current.version === current.newest_version }
    const version = current.newest_version + 1
    await insertVersion(tx.db, { workspaceId, agentId, number: version }, values, by)
    const isPublished = current.status === 'draft'
    if (isPublished) await updatePublished(tx.db, workspaceId, agentId, { version, values })
    return { isPublished }
  })

/**
 * Publishes the newest version, so that calls use it. A draft becomes Live, and a paused agent stays paused.
 *
 * @param seen the version that the user decided to publish. By default the newest.
 * @throws {ApiError} not_found, validation_failed if the newest version can't be used in calls or isn't the one that was seen
 */
export const publishAgent = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  agentId: number,
  seen?: number,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const current = await lockAgent(tx.db, workspaceId, agentId)
    if (current === undefined) throw agentNotFound()
    const version = current.newest_version
    if (seen !== undefined && seen !== version) throw newerVersion(version)
    const values = await getVersion(tx, workspaceId, agentId, version)
    requirePublishable(values)
    await updatePublished(tx.db, workspaceId, agentId, { version, values })
    if (current.status !== 'draft') return
    await updateAgentStatus(tx.db, workspaceId, agentId, 'live')
    tx.notify.callQueued()
    tx.notify.toolsChanged({ workspaceId, agentId })
  })

/** The allowed changes of an agent's status: draft → live ⇄ paused. */
const nextStatuses: Record<AgentStatus, readonly AgentStatus[]> = {
  draft: ['live'],
  live: ['paused'],
  paused: ['live'],
}

/**
 * Publishes a draft, or pauses or resumes an agent. Pausing and resuming don't change the published version. While the agent
 * isn't Live, its queued calls wait, and calls in progress continue.
 *
 * @throws {ApiError} not_found, validation_failed if the agent's current status can't change to `status`, or if the draft can't
 *   be published
 */
export const setAgentStatus = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  agentId: number,
  status: AgentStatus,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const current = await lockAgent(tx.db, workspaceId, agentId)
    if (current === undefined) throw agentNotFound()
    if (current.status === status) return
    if (!nextStatuses[current.status].includes(status)) {
      const message = `The agent's status is now ${current.status}, so it can't be changed to ${status}. Reload the page.`
      throw invalidField('status', 'invalid_transition', message)
    }
    if (current.status === 'draft') return publishAgent(tx, workspaceId, agentId)
    await updateAgentStatus(tx.db, workspaceId, agentId, status)
    tx.notify.callQueued()
    tx.notify.toolsChanged({ workspaceId, agentId })
  })

/**
 * Saves an earlier version again, as the newest.
 *
 * @throws {ApiError} not_found
 */
export const restoreVersion = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  agentId: number,
  number: number,
  by: Actor | null,
): Promise<{ isPublished: boolean }> =>
  inTransaction(deps, async (tx) =>
    saveAgent(tx, workspaceId, agentId, await getVersion(tx, workspaceId, agentId, number), by),
  )

/** @throws {ApiError} not_found */
const getVersion = async (
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  agentId: number,
  number: number,
): Promise<AgentValues> => (await findAgentVersion(db, workspaceId, agentId, number)).values

/**
 * Returns a version of an agent.
 *
 * @throws {ApiError} not_found
 */
export async function findAgentVersion(
  db: Deps['db'],
  workspaceId: number,
  agentId: number,
  number: number,
): Promise<Pick<StoredVersion, 'number' | 'created_by' | 'created_at'> & { values: AgentValues }> {
  const stored = await findVersion(db, workspaceId, agentId, number)
  if (stored === undefined) throw versionNotFound()
  const { created_by, created_at } = stored
  return { number, created_by, created_at, values: toAgentValues(stored) }
}

import type { Deps } from '../deps.ts'
import { FormError } from '../platform/core/form-errors.ts'
import type { ToolKindName } from '../platform/db/schema.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { openSecrets } from './custom/tool-secrets.ts'
import { toolKinds } from './kind-registry.ts'
import { findToolsWithEffects, getDefinitions, type ToolDefinition, type ToolRow } from './kinds/tool-kind.ts'
import {
  deleteCustomTool,
  insertBuiltInTools,
  lockTool,
  selectToolKinds,
  selectTools,
  updateToolActive,
} from './tool-store.ts'

export interface ToolDescription {
  id: number
  kind: ToolKindName
  name: string
  description: string
  isActive: boolean
  /** Settings that depend on the tool's kind. Secrets appear as `{{secret.NAME}}`. */
  settings: Record<string, unknown>
}

interface ListedTool extends ToolDescription {
  /** IDs of the agents that have the tool. */
  agents: number[]
}

/** Lists the tools of a workspace. Built-in tools that the workspace doesn't have yet are added first. */
export async function listTools(
  deps: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
): Promise<ListedTool[]> {
  await installBuiltInTools(deps, workspaceId)
  const tools = await selectTools(deps.db, workspaceId)
  return tools.map(({ agents, ...tool }) => ({ ...describeTool(tool), agents }))
}

/** Returns a row as the dashboard shows it. */
export const describeTool = ({ row, isActive }: { row: ToolRow; isActive: boolean }): ToolDescription => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  description: toolKinds.get(row.kind)?.builtIn?.description ?? row.description,
  isActive,
  settings: row.settings,
})

/** A tool with everything that its page shows. */
export interface ToolDetails extends ListedTool {
  /** The tools that agents see; `unreadable` if the saved settings aren't valid. */
  definitions: ToolDefinition[] | 'unreadable'
  /** Names of the definitions that change something when they're used. */
  effects: string[]
  /** Only the names, because secrets can be replaced, but never read. */
  secretNames: string[]
}

/** @throws {ApiError} not_found */
export async function getTool(
  { db, secretBox }: Pick<Deps, 'db' | 'secretBox'>,
  workspaceId: number,
  toolId: number,
): Promise<ToolDetails> {
  const [tool] = await selectTools(db, workspaceId, toolId)
  const kind = tool && toolKinds.get(tool.row.kind)
  if (tool === undefined || kind === undefined) throw toolNotFound()
  const definitions = getDefinitions(kind, tool.row)
  const effects = definitions === 'unreadable' ? [] : findToolsWithEffects(kind, tool.row, definitions)
  return {
    ...describeTool(tool),
    agents: tool.agents,
    definitions,
    effects: [...effects],
    secretNames: Object.keys(openSecrets(secretBox, tool.row)).sort(),
  }
}

/** Adds the built-in tools that a workspace doesn't have yet. They aren't assigned to any agent. */
export async function installBuiltInTools(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
): Promise<void> {
  const present = await selectToolKinds(db, workspaceId)
  const createdAt = clock.now()
  const missing = [...toolKinds.values()].flatMap(({ kind, builtIn }) =>
    builtIn === undefined || present.has(kind) ? [] : [{ kind, definition: builtIn, createdAt }],
  )
  await insertBuiltInTools(db, workspaceId, missing)
}

/**
 * Turns a tool on or off for all agents of its workspace. Assignments don't change.
 *
 * @throws {ApiError} not_found
 */
export const setToolActive = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  toolId: number,
  isActive: boolean,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const isUpdated = await updateToolActive(tx.db, workspaceId, toolId, isActive)
    if (!isUpdated) throw toolNotFound()
    tx.notify.toolsChanged({ workspaceId })
  })

/**
 * Deletes an HTTP tool, or a remote server with all of its tools. Agents lose it immediately. Call records still show
 * how it was used.
 *
 * @throws {ApiError} not_found; validation_failed for a built-in tool
 */
export const deleteTool = (
  deps: Pick<Deps, 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  toolId: number,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const isDeleted = await deleteCustomTool(tx.db, workspaceId, toolId)
    if (!isDeleted)
      throw (await lockTool(tx.db, workspaceId, toolId)) ? builtInNotDeletable() : toolNotFound()
    tx.notify.toolsChanged({ workspaceId })
  })

const builtInNotDeletable = () =>
  new FormError(
    'validation_failed',
    "Built-in tools can't be deleted. Turn the tool off, or remove it from agents.",
  )

export const toolNotFound = () =>
  new FormError(
    'not_found',
    'This workspace has no tool with this ID. To see its tools, open the Tools page or run list-tools.',
  )

export const unreadableSettingsError = () =>
  new FormError('validation_failed', "This tool's settings can't be read. Delete the tool and add it again.")

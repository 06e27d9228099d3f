import type { ErrorDetail } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../deps.ts'
import { FormError, invalidField } from '../platform/core/form-errors.ts'
import { formatNames } from '../platform/core/text.ts'
import { toErrorDetails, validate } from '../platform/core/validate.ts'
import { lockAgent, lockWorkspace } from '../platform/db/locks.ts'
import type { Db, ToolKindName } from '../platform/db/schema.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { agentNotFound, hasAgent } from '../queue/agents/agents.ts'
import {
  deleteAssignment,
  selectAssignments,
  selectSiblingTools,
  upsertAssignment,
} from './assignment-store.ts'
import type { JsonSchema } from './json-schema/compile-schema.ts'
import { toolKinds } from './kind-registry.ts'
import { getDefinitions, type ToolDeps, type ToolKind, type ToolRow } from './kinds/tool-kind.ts'
import { describeTool, type ToolDescription, toolNotFound, unreadableSettingsError } from './tool-catalog.ts'
import { lockTool } from './tool-store.ts'

/**
 * Assigns a tool to an agent, or changes the configuration of an assigned tool. Open sessions get the change
 * immediately.
 *
 * @param config the configuration for this agent, for example its spreadsheet_id. The tool's kind defines the fields.
 * @throws {ApiError} not_found; validation_failed if the configuration isn't valid for the tool, or if two tools of
 * the agent would have the same name
 */
export const assignTool = (
  deps: ToolDeps,
  workspaceId: number,
  agentId: number,
  toolId: number,
  config: unknown,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    await lockWorkspace(tx.db, workspaceId)
    const agent = await lockAgent(tx.db, workspaceId, agentId)
    if (agent === undefined) throw agentNotFound()
    const row = await lockTool(tx.db, workspaceId, toolId)
    const kind = row && toolKinds.get(row.kind)
    if (row === undefined || kind === undefined) throw toolNotFound()

    const parsed = validate(assignmentFormSchema(kind), { config })
    const issue = await findParsedConfigIssue(tx, kind, workspaceId, parsed.config)
    if (issue !== undefined) throw invalidField(issue.field, issue.code, issue.message)
    const assigned = await selectAssignments(tx.db, workspaceId, agentId)
    const others = assigned.flatMap((other) =>
      other.row.id === toolId ? [] : (getToolNames(other.row) ?? []),
    )
    const names = getToolNames(row)
    if (names === undefined) throw unreadableSettingsError()
    const duplicate = names.find((name) => others.includes(name))
    if (duplicate !== undefined) {
      const message = `The agent already has a tool named ${duplicate}. Rename or remove one of them.`
      throw invalidField('tool_id', 'already_used', message)
    }
    await upsertAssignment(tx.db, workspaceId, agentId, toolId, {
      config: parsed.config,
      now: tx.clock.now(),
    })
    tx.notify.toolsChanged({ workspaceId, agentId })
  })

/**
 * Removes a tool from an agent. Open sessions lose it immediately.
 *
 * @throws {ApiError} not_found if the agent doesn't have the tool
 */
export const unassignTool = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  agentId: number,
  toolId: number,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const isDeleted = await deleteAssignment(tx.db, workspaceId, agentId, toolId)
    if (!isDeleted) throw new FormError('not_found', "This tool isn't assigned to this agent.")
    tx.notify.toolsChanged({ workspaceId, agentId })
  })

interface ListedAssignment {
  tool: ToolDescription
  config: unknown
  /** The reasons why the tool can't be used with this configuration; empty if it can. */
  issues: ErrorDetail[]
}

/**
 * Lists the tools of an agent by name, including tools that are turned off.
 *
 * @throws {ApiError} not_found
 */
export async function listAssignments(
  deps: ToolDeps,
  workspaceId: number,
  agentId: number,
): Promise<ListedAssignment[]> {
  const agentExists = await hasAgent(deps.db, workspaceId, agentId)
  if (!agentExists) throw agentNotFound()
  const assignments = await selectAssignments(deps.db, workspaceId, agentId)
  return Promise.all(
    assignments.map(async ({ row, isActive, config }) => {
      const kind = toolKinds.get(row.kind)
      return {
        tool: describeTool({ row, isActive }),
        config,
        issues: kind === undefined ? [] : await findConfigIssues(deps, kind, workspaceId, config),
      }
    }),
  )
}

/** Returns the names that agents see for a row's tools, or undefined if its settings can't be read. */
function getToolNames(row: ToolRow): string[] | undefined {
  const kind = toolKinds.get(row.kind)
  const definitions = kind === undefined ? [] : getDefinitions(kind, row)
  return definitions === 'unreadable' ? undefined : definitions.map(({ name }) => name)
}

/**
 * Checks that no agent has another tool with the same name as a changed tool. Call it in a transaction that has locked
 * the workspace.
 *
 * @param field the field that was changed
 * @throws {ApiError} validation_failed, with the names and the agents
 */
export async function requireNoCollision(db: Db, changed: ToolRow, field: 'name' | 'tools'): Promise<void> {
  const names = new Set(getToolNames(changed))
  const siblings = await selectSiblingTools(db, changed.workspaceId, changed.id)
  const collisions = siblings.flatMap(({ row, agents }) => {
    const shared = (getToolNames(row) ?? []).filter((name) => names.has(name))
    return shared.length === 0 ? [] : [`${formatNames(agents)} (${formatNames(shared)})`]
  })
  if (collisions.length === 0) return
  const message = `These agents already have another tool with this name: ${collisions.join('; ')}. Choose another name, or remove one of the two tools from these agents.`
  throw invalidField(field, 'already_used', message)
}

/**
 * Returns the JSON Schema of an assignment's form. Each field has a title and a description, and each value of a choice
 * has a title. Without properties, the form has no fields.
 */
export function getConfigSchema(name: ToolKindName): JsonSchema {
  const kind = toolKinds.get(name)
  return kind === undefined ? { type: 'object' } : z.toJSONSchema(kind.config, { io: 'input' })
}

/** Wraps the configuration so that each issue names its field as `config.<field>`. */
const assignmentFormSchema = (kind: ToolKind) => z.strictObject({ config: kind.config })

/** Finds reasons why a tool can't be used with a configuration. */
async function findConfigIssues(
  deps: ToolDeps,
  kind: ToolKind,
  workspaceId: number,
  config: unknown,
): Promise<ErrorDetail[]> {
  const parsed = assignmentFormSchema(kind).safeParse({ config }, { reportInput: true })
  if (!parsed.success) return toErrorDetails(parsed.error.issues)
  const issue = await findParsedConfigIssue(deps, kind, workspaceId, parsed.data.config)
  return issue === undefined ? [] : [issue]
}

/** Finds a reason why a tool can't be used with a configuration that has been parsed. */
async function findParsedConfigIssue(
  deps: ToolDeps,
  kind: ToolKind,
  workspaceId: number,
  config: unknown,
): Promise<ErrorDetail | undefined> {
  const issue = await kind.checkConfig?.(deps, workspaceId, config)
  return issue && { ...issue, field: `config.${issue.field}` }
}

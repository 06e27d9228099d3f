import { isDeepStrictEqual } from 'node:util'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import type { ArgumentValidators } from '../json-schema/argument-validator.ts'
import {
  findToolsWithEffects,
  getCallDefinitions,
  getDefinitions,
  type ToolDefinition,
  type ToolKind,
  type ToolKinds,
  type ToolRow,
} from '../kinds/tool-kind.ts'
import { type AssignedTool, findAgentWithTools } from './mcp-store.ts'

/** A tool as `tools/list` returns it. */
interface ListedTool extends ToolDefinition {
  /** MCP 2025-11-25, section "Tools". Without annotations, clients assume that every tool changes something. */
  annotations: { readOnlyHint: boolean }
}

/** A tool under one name of the tool list. */
export interface OfferedTool {
  row: ToolRow
  kind: ToolKind
  definition: ListedTool
  /** The assignment's parsed configuration; undefined if it no longer fits the tool's kind. */
  config: { value: unknown } | undefined
  /** Returns a description of each issue with the arguments. */
  findIssues(args: unknown): Promise<string[]>
}

export interface ToolList {
  tools: ReadonlyMap<string, OfferedTool>
  /** The response to `tools/list`. */
  definitions: ListedTool[]
}

/** An agent's tools, resolved for its sessions. */
export interface SessionContext {
  workspaceId: number
  agentId: number
  isLive: boolean
  /** The tools of sessions in a call or chat, which can have fewer arguments. */
  inConversations: ToolList
  outsideConversations: ToolList
  /** False once the agent or its tools have changed, so that the context must be resolved again. */
  isCurrent: boolean
  /** The time in milliseconds since 1970 after which the context must always be resolved again. */
  freshUntil: number
}

/**
 * How long a context is used. Changes that other processes make take effect within this time, even if this process isn't
 * notified of them.
 */
export const contextTtlMs = 30 * secondMs

interface ToolCatalog {
  kinds: ToolKinds
  validators: ArgumentValidators
}

/** Reads and resolves an agent's tools. Returns undefined if no agent has this widget ID. */
export async function loadSessionContext(
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  catalog: ToolCatalog,
  widgetId: string,
): Promise<SessionContext | undefined> {
  const freshUntil = deps.clock.now().getTime() + contextTtlMs
  const agent = await findAgentWithTools(deps.db, widgetId)
  if (agent === undefined) return undefined
  const offered = agent.tools.flatMap((assigned) => toOfferedTools(deps, catalog, assigned))
  return {
    workspaceId: agent.workspaceId,
    agentId: agent.agentId,
    isLive: agent.status === 'live',
    inConversations: toToolList(offered.map(({ inConversation }) => inConversation)),
    outsideConversations: toToolList(offered.map(({ outside }) => outside)),
    isCurrent: true,
    freshUntil,
  }
}

function toToolList(offered: OfferedTool[]): ToolList {
  // Assignments prevent collisions. If two tools have the same name anyway, the first one wins.
  const tools = new Map(offered.reverse().map((tool) => [tool.definition.name, tool]))
  return { tools, definitions: [...tools.values()].reverse().map(({ definition }) => definition) }
}

/** Returns whether `tools/list` has the same response for two lists. */
export const hasSameTools = (one: ToolList, other: ToolList): boolean =>
  isDeepStrictEqual(one.definitions, other.definitions)

function toOfferedTools(
  { log }: Pick<Deps, 'log'>,
  { kinds, validators }: ToolCatalog,
  { row, config }: AssignedTool,
): { inConversation: OfferedTool; outside: OfferedTool }[] {
  const kind = kinds.get(row.kind)
  if (kind === undefined) return []
  const definitions = getDefinitions(kind, row)
  if (definitions === 'unreadable') {
    log.error({ tool_id: row.id, workspace_id: row.workspaceId }, "failed to read a tool's settings")
    return []
  }
  const withEffects = findToolsWithEffects(kind, row, definitions)
  const parsed = kind.config.safeParse(config)
  const toOfferedTool = (
    variant: string,
    { name, description, inputSchema }: ToolDefinition,
  ): OfferedTool => ({
    row,
    kind,
    definition: {
      ...{ name, description, inputSchema },
      annotations: { readOnlyHint: !withEffects.has(name) },
    },
    config: parsed.success ? { value: parsed.data } : undefined,
    findIssues: (args) => {
      const { id, version, workspaceId } = row
      return validators.findIssues({ id, version, name, workspaceId, variant }, inputSchema, args)
    },
  })
  const callDefinitions = getCallDefinitions(kind, row, definitions, parsed.data)
  return definitions.map((definition, index) => {
    const callDefinition = callDefinitions[index] ?? definition
    const isSameSchema = callDefinition.inputSchema === definition.inputSchema
    return {
      inConversation: toOfferedTool(isSameSchema ? '' : 'in_call', callDefinition),
      outside: toOfferedTool('', definition),
    }
  })
}

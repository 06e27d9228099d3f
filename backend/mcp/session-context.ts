import type { Deps } from '../deps.ts'
import { getValidator, type Validator } from '../tools/json-schema/argument-validator.ts'
import {
  getDefinitions,
  type ToolDefinition,
  type ToolKind,
  type ToolKinds,
  type ToolRow,
} from '../tools/kinds/tool-kind.ts'
import { type AssignedTool, findAgentWithTools } from './mcp-store.ts'

/** One name of the tool list, and what is behind it. */
export interface OfferedTool {
  row: ToolRow
  kind: ToolKind
  definition: ToolDefinition
  /** The assignment's configuration, parsed; undefined where it no longer fits its kind. */
  config: { value: unknown } | undefined
  /** What is wrong with arguments, each fault in words; empty where nothing is. */
  findIssues(args: unknown): string[]
}

/** An agent's tools as they were resolved for its sessions. */
export interface SessionContext {
  workspaceId: number
  agentId: number
  isLive: boolean
  tools: ReadonlyMap<string, OfferedTool>
  /** The result of `tools/list`, serialised. */
  listJson: string
  /** False once something of it has changed: it is to be resolved anew. */
  isCurrent: boolean
  /** In milliseconds, as of Date: then it is to be resolved anew in any case. */
  freshUntil: number
}

/** How long what was resolved is used: no process hears of the changes that others make. */
export const contextTtlMs = 30_000

/** Reads and resolves the tools of a widget; undefined where there is no such agent. */
export async function resolveContext(
  deps: Deps,
  kinds: ToolKinds,
  widgetId: string,
): Promise<SessionContext | undefined> {
  const freshUntil = deps.clock.now().getTime() + contextTtlMs
  const agent = await findAgentWithTools(deps.db, widgetId)
  if (agent === undefined) return undefined
  const offered = agent.tools.flatMap((assigned) => toOfferedTools(deps, kinds, assigned))
  // Assignments refuse collisions: here the first one counts.
  const tools = new Map(offered.reverse().map((tool) => [tool.definition.name, tool]))
  const definitions = [...tools.values()].reverse().map(({ definition }) => definition)
  return {
    workspaceId: agent.workspaceId,
    agentId: agent.agentId,
    isLive: agent.status === 'live',
    tools,
    listJson: JSON.stringify({ tools: definitions }),
    isCurrent: true,
    freshUntil,
  }
}

function toOfferedTools({ log }: Deps, kinds: ToolKinds, { row, config }: AssignedTool): OfferedTool[] {
  const kind = kinds.get(row.kind)
  if (kind === undefined) return []
  const definitions = getDefinitions(kind, row)
  if (definitions === 'unreadable') {
    log.error({ tool_id: row.id, workspace_id: row.workspaceId }, 'a tool has settings that cannot be read')
    return []
  }
  const parsed = kind.config.safeParse(config)
  return definitions.map(({ name, description, inputSchema }) => {
    let validator: Validator | undefined
    return {
      row,
      kind,
      definition: { name, description, inputSchema },
      config: parsed.success ? { value: parsed.data } : undefined,
      findIssues: (args) => {
        // Compiled at the first call: most sessions use few of their tools.
        validator ??= getValidator({ id: row.id, version: row.version, name }, inputSchema)
        return validator(args)
      },
    }
  })
}

import { parseConfig } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import type { ToolKind, ToolRow, ToolUse } from '../../tools/kinds/tool-kind.ts'
import { listTools } from '../../tools/tool-catalog.ts'
import { type CustomKindName, selectTool } from '../../tools/tool-store.ts'
import type { SignedInUser } from './dashboard.ts'
import type { Service } from './service.ts'

/** Settings of a service on this machine, where tools may reach loopback. */
export const localConfig = parseConfig({ LOG_LEVEL: 'silent' })

/** Settings of a service that the world reaches. */
export const publicConfig = parseConfig({ LOG_LEVEL: 'silent', PUBLIC_URL: 'https://outdial.example.com' })

export async function readTool(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  kind: CustomKindName,
  toolId: number,
): Promise<ToolRow> {
  const row = await selectTool(db, workspaceId, kind, toolId)
  if (row === undefined) throw new Error('no such tool')
  return row
}

/** One use of a tool by an agent outside of any call. */
export const createToolUse = (
  row: ToolRow,
  args: Record<string, unknown>,
  overrides: Partial<ToolUse> = {},
): ToolUse => ({
  row,
  toolName: row.name,
  agentId: 1,
  config: {},
  args,
  call: undefined,
  dryRun: false,
  signal: new AbortController().signal,
  ...overrides,
})

export const runTool = (
  deps: Deps,
  kind: ToolKind,
  row: ToolRow,
  args: Record<string, unknown>,
  overrides: Partial<ToolUse> = {},
) => kind.run(deps, createToolUse(row, args, overrides))

/** Returns the ID of a tool in the user's workspace. */
export async function getToolId(
  service: Service,
  user: SignedInUser & { seed: { workspaceId: number } },
  name: string,
): Promise<number> {
  const tools = await listTools(service.deps, user.seed.workspaceId)
  const tool = tools.find((candidate) => candidate.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool.id
}

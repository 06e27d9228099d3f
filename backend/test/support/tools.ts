import { parseConfig } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import type { ToolKind, ToolRow, ToolUse } from '../../tools/kinds/tool-kind.ts'
import { addHttpTool, type HttpToolInput } from '../../tools/save-http-tool.ts'
import { listTools } from '../../tools/tool-catalog.ts'
import { type CustomKindName, selectTool } from '../../tools/tool-store.ts'
import type { SignedInUser } from './dashboard.ts'
import type { HttpReceiver } from './http-receiver.ts'
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

/** Helpers for HTTP tools that ask a receiver; `getTarget` says where they are added. */
export function createHttpToolHelpers(
  receiver: HttpReceiver,
  getTarget: () => { deps: Deps; workspaceId: number },
) {
  let toolCount = 0
  const input = (more: Partial<HttpToolInput> = {}): HttpToolInput => ({
    name: `weather-${(toolCount += 1)}`,
    description: 'The weather of a city.',
    inputSchema: { type: 'object', properties: { city: { type: 'string' }, day: {} }, required: ['city'] },
    method: 'GET',
    url: receiver.url('/cities/{city}'),
    ...more,
  })
  return {
    input,
    add: async (more: Partial<HttpToolInput> = {}): Promise<ToolRow> => {
      const { deps, workspaceId } = getTarget()
      const { id } = await addHttpTool(deps, workspaceId, input(more))
      return readTool(deps, workspaceId, 'http', id)
    },
    /** What makes a tool one with secrets. */
    keyed: (url = receiver.url('/cities/{city}?key={{secret.KEY}}')) => ({
      url,
      headers: { Authorization: 'Bearer {{secret.TOKEN}}', 'X-Plain': 'yes' },
      secrets: { KEY: 'k&y+ "quoted"', TOKEN: 'token-of-the-service' },
    }),
  }
}

import { parseConfig } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { noNotify, type ToolChange } from '../../platform/core/notify.ts'
import type { ToolKind, ToolRow, ToolUse } from '../../tools/kinds/tool-kind.ts'
import { addHttpTool, type HttpToolInput } from '../../tools/save-http-tool.ts'
import { listTools } from '../../tools/tool-catalog.ts'
import { type CustomKindName, selectTool } from '../../tools/tool-store.ts'
import type { SignedInUser } from './dashboard.ts'
import { useHttpReceiver } from './http-receiver.ts'
import type { Service } from './service.ts'
import { useWorld } from './world.ts'

/** Settings of a service without a public URL. Its tools may reach loopback. */
export const localConfig = parseConfig({ LOG_LEVEL: 'silent' })

/** Settings of a service with a public URL. */
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

/** Returns a tool use as an agent makes it outside of a call. */
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
  chat: undefined,
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

/** Gives every test a new workspace whose tools may reach loopback. `changes` lists the test's changes to tools. */
export function useToolWorld() {
  const changes: ToolChange[] = []
  const world = useWorld(() => {
    changes.length = 0
    const notify = { ...noNotify, toolsChanged: (change: ToolChange) => void changes.push(change) }
    return { config: localConfig, notify }
  })
  return { world, changes }
}

/** Gives every test the workspace of `useToolWorld`, and a receiver for the requests of HTTP tools. */
export function useHttpToolWorld() {
  const { world, changes } = useToolWorld()
  const receiver = useHttpReceiver()
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
    world,
    changes,
    receiver,
    input,
    add: async (more: Partial<HttpToolInput> = {}): Promise<ToolRow> => {
      const { deps, seed } = world
      const { id } = await addHttpTool(deps, seed.workspaceId, input(more))
      return readTool(deps, seed.workspaceId, 'http', id)
    },
    /** Returns the input for a tool with secrets. */
    keyed: (url = receiver.url('/cities/{city}?key={{secret.KEY}}')) => ({
      url,
      headers: { Authorization: 'Bearer {{secret.TOKEN}}', 'X-Plain': 'yes' },
      secrets: { KEY: 'k&y+ "quoted"', TOKEN: 'token-of-the-service' },
    }),
  }
}

import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll } from '@jest/globals'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import * as z from 'zod'
import { createApp } from '../../app.ts'
import { parseConfig } from '../../config.ts'
import type { Db } from '../../platform/db/schema.ts'
import type { JsonSchema } from '../../tools/json-schema/compile-schema.ts'
import type { ToolDeps, ToolKind, ToolKinds, ToolResult, ToolUse } from '../../tools/kinds/tool-kind.ts'
import { createToolServer, type ToolServer } from '../../tools/mcp/tool-server.ts'
import { createTestDatabase } from './database.ts'
import { type TestDeps, testDeps } from './deps.ts'
import { getWidgetId, type Seed, seedAgent, seedWorkspace } from './factories.ts'

export const secret = 'runtime-secret-number-one-of-the-tests'
export const otherSecret = 'runtime-secret-number-two-of-the-tests'

/** The functions that tools of a test run, by the tools' names. */
export type ToolBehaviors = Record<string, (use: ToolUse, deps: ToolDeps) => ToolResult | Promise<ToolResult>>

export const textResult = (text: string): ToolResult => ({ text, isError: false })

/** Creates two kinds of tools with the test's behaviors: `http` only reads, and `contact_note` has effects. */
export function createToolKinds(behaviors: ToolBehaviors): ToolKinds {
  const toKind = (kind: ToolKind['kind'], hasEffects: boolean): ToolKind => ({
    kind,
    settings: z.looseObject({}),
    config: z.object({ spreadsheet_id: z.string().optional() }),
    hasEffects,
    builtIn: undefined,
    definitions: ({ name, description, inputSchema }) => [{ name, description, inputSchema }],
    run: async (deps, use) => {
      const behavior = behaviors[use.toolName]
      if (behavior === undefined) throw new Error(`no behavior for ${use.toolName}`)
      return behavior(use, deps)
    },
  })
  return new Map([
    ['http', toKind('http', false)],
    ['contact_note', toKind('contact_note', true)],
  ])
}

export const textSchema: JsonSchema = {
  type: 'object',
  properties: { text: { type: 'string', maxLength: 100 } },
  required: ['text'],
  additionalProperties: false,
}

interface ToolOptions {
  schema?: JsonSchema
  kind?: 'http' | 'contact_note'
  config?: object
  active?: boolean
}

/** Adds a tool to an agent. The tool server isn't notified. */
export async function addTool(
  db: Db,
  { workspaceId, agentId }: Pick<Seed, 'workspaceId' | 'agentId'>,
  name: string,
  more: ToolOptions = {},
): Promise<number> {
  const { id } = await db
    .insertInto('mcp_tool')
    .values({
      workspace_id: workspaceId,
      kind: more.kind ?? 'http',
      name,
      description: `Does ${name}.`,
      input_schema: JSON.stringify(more.schema ?? textSchema),
      is_active: more.active ?? true,
    })
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'name']).doUpdateSet({ description: `Does ${name}.` }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('widget_tool')
    .values({
      workspace_id: workspaceId,
      agent_id: agentId,
      tool_id: id,
      config: JSON.stringify(more.config ?? {}),
    })
    .execute()
  return id
}

interface TestMcpService {
  app: FastifyInstance
  tools: ToolServer
  deps: TestDeps
  seed: Seed
  /** The URL of the service. */
  url: string
  /** Returns the number of statements that this service has sent to the database. */
  queries(): number
  /** Returns the log so far. */
  logOutput(): string
  /** Replaces the runtime secrets. */
  setSecrets(secrets: string[]): void
  addAgent(status?: 'draft' | 'live' | 'paused'): Promise<{ agentId: number; widgetId: string }>
  addTool(agentId: number, name: string, more?: ToolOptions): Promise<number>
  close(): Promise<void>
}

/** Starts the whole service on a free port, with tools whose behavior the test defines. */
export async function startMcpService(
  behaviors: ToolBehaviors = {},
  options: { sessionsPerWidget?: number; environment?: Record<string, string> } = {},
): Promise<TestMcpService> {
  const database = await createTestDatabase()
  const logLines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line) => void logLines.push(line) })
  const config = parseConfig({
    SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
    RUNTIME_SECRET: `${secret},${otherSecret}`,
    ...options.environment,
  })
  let queries = 0
  const counted = database.db.withPlugin({
    transformQuery: ({ node }) => {
      queries += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  let { runtimeSecrets } = config
  const deps = testDeps(counted, { config, log, runtimeSecrets: () => runtimeSecrets })
  const tools = createToolServer(deps, { kinds: createToolKinds(behaviors), ...options })
  const { toolsChanged, toolAccessEnded } = tools
  deps.notify = { ...deps.notify, toolsChanged, toolAccessEnded }
  const app = await createApp(deps, tools)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const seed = await seedWorkspace(deps)
  const { workspaceId } = seed
  return {
    ...{ app, tools, deps, seed },
    url: `http://127.0.0.1:${port}`,
    queries: () => queries,
    logOutput: () => logLines.join(''),
    setSecrets: (secrets) => {
      runtimeSecrets = secrets
      tools.secretsChanged()
    },
    addAgent: async (status = 'live') => {
      const agentId = await seedAgent(deps, workspaceId, { status })
      return { agentId, widgetId: await getWidgetId(database, agentId) }
    },
    addTool: (agentId, name, more) => addTool(database.db, { workspaceId, agentId }, name, more),
    close: async () => {
      await tools.close()
      app.server.closeAllConnections() // fetch opens connections in advance, and Node would wait for them
      await app.close()
      await database.close()
    },
  }
}

/** Gives a test file the service of `startMcpService`, started before the first test. Use it only in hooks and tests. */
export function useMcpWorld(...args: Parameters<typeof startMcpService>): TestMcpService {
  const service = {} as TestMcpService
  beforeAll(async () => {
    Object.assign(service, await startMcpService(...args))
  })
  afterAll(() => service.close())
  return service
}

export interface JsonRpc {
  id?: string | number
  method?: string
  result?: { tools?: { name: string }[]; content?: { text: string }[]; isError?: boolean }
  error?: { code: number; message: string }
}

/** A session over SSE, without an MCP library. */
export interface RawSession {
  status: number
  headers: Headers
  /** The URL to post messages to. */
  endpoint: string
  /** The data of the stream's first event, which contains the endpoint. */
  data: string
  /** Returns the next message of the stream. */
  next(): Promise<JsonRpc>
  post(body: unknown, headers?: Record<string, string>): Promise<Response>
  request(method: string, params?: object): Promise<JsonRpc>
  call(name: string, args?: unknown): Promise<JsonRpc>
  /** Returns how many comments the stream has contained so far. */
  comments(): number
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>
  close(): void
}

let requestCount = 0

export async function openSse(
  url: string,
  query: Record<string, string>,
  headers: Record<string, string> = { 'X-Agent-Secret': secret },
): Promise<RawSession> {
  const stopping = new AbortController()
  const response = await fetch(`${url}/api/mcp/sse?${new URLSearchParams(query).toString()}`, {
    headers,
    signal: stopping.signal,
  })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  const inbox: { event: string; data: string }[] = []
  let comments = 0
  let onArrival = () => {}
  const read = async () => {
    let rest = ''
    for await (const text of (response.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream(),
    )) {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        if (block.startsWith(':')) comments += 1
        else {
          // `[^\n]` also matches U+2028, which can be inside a line of an event stream. `.` doesn't match it.
          const [, event = '', data = ''] = /^event: ([^\n]*)\ndata: ([^\n]*)$/.exec(block) ?? []
          inbox.push({ event, data })
        }
      }
      onArrival()
    }
  }
  const ended = read().catch(() => {})
  const takeEvent = async (): Promise<{ event: string; data: string }> => {
    for (;;) {
      const [first] = inbox
      if (first !== undefined) {
        inbox.shift()
        return first
      }
      const more = new Promise<'more'>((resolve) => {
        onArrival = () => resolve('more')
      })
      const outcome = await Promise.race([more, ended.then(() => 'ended' as const)])
      if (outcome === 'ended' && inbox.length === 0) throw new Error('the stream has ended')
    }
  }
  const { data } = await takeEvent()
  const endpoint = new URL(data, url).href
  const next = async () => JSON.parse((await takeEvent()).data) as JsonRpc
  const post: RawSession['post'] = (body, more = {}) =>
    fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...more },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const request: RawSession['request'] = async (method, params) => {
    requestCount += 1
    const posted = await post({ jsonrpc: '2.0', id: requestCount, method, ...(params && { params }) })
    if (posted.status !== 202) throw new Error(`${posted.status} ${await posted.text()}`)
    return next()
  }
  return {
    status: response.status,
    headers: response.headers,
    endpoint,
    data,
    next,
    post,
    request,
    call: (name, args) => request('tools/call', { name, ...(args !== undefined && { arguments: args }) }),
    comments: () => comments,
    ended,
    close: () => stopping.abort(),
  }
}

/** Opens a connection that sends raw bytes. `received` returns all bytes that the server has sent. */
export function openSocket(endpoint: string) {
  const { hostname, port } = new URL(endpoint)
  const socket = connect(Number(port), hostname)
  let bytesReceived = ''
  socket.on('data', (bytes) => (bytesReceived += bytes.toString('latin1')))
  return {
    send: (text: string) => socket.write(text),
    received: () => bytesReceived,
    /** Ends the sending side of the connection, but keeps reading. */
    finish: () => socket.end(),
    end: () => socket.destroy(),
  }
}

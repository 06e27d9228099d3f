import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'
import { type FakeModel, startFakeModel } from '../../../examples/fake-model/server.ts'
import { createApp } from '../../app.ts'
import type { ChatEvent, SampleValues } from '../../calling/chats/chat.ts'
import { startChat } from '../../calling/chats/start-chat.ts'
import { type ChatDeps, takeTurn } from '../../calling/chats/take-turn.ts'
import { type ModelClient, openModelClient } from '../../calling/conversation/model/model-client.ts'
import type { TurnInput } from '../../calling/conversation/transcript.ts'
import { type LlmSettings, parseConfig } from '../../config.ts'
import { createLog } from '../../log.ts'
import { findFreePort } from '../../platform/db/embedded/server-address.ts'
import type { Db } from '../../platform/db/schema.ts'
import { assignTool } from '../../tools/assignments.ts'
import { createToolServer } from '../../tools/mcp/tool-server.ts'
import { installBuiltInTools, listTools } from '../../tools/tool-catalog.ts'
import { type TestDeps, testDeps } from './deps.ts'
import { type Seed, seedWorkspace } from './factories.ts'
import { useTestDatabase } from './world.ts'

export const modelKey = 'key-of-the-model-server'

export const sampleValues: SampleValues = { first_name: 'Maya', last_name: null, variables: {} }

export type ChatTestDeps = TestDeps & { model: ModelClient }

export interface ChatWorld {
  readonly db: Db
  readonly deps: ChatTestDeps
  readonly seed: Seed
  readonly model: FakeModel
  /** The logs of all processes. */
  readonly log: string
  /** Returns the dependencies of another process. Its conversations use the tool server of the first process. */
  openProcess(): Promise<ChatTestDeps>
  stopToolServer(): Promise<void>
  startToolServer(): Promise<void>
  /** Assigns a built-in tool to the seed's agent. */
  assign(name: string, config?: object): Promise<void>
  start(contact?: Parameters<typeof startChat>[3]): Promise<string>
  /** Takes a turn of a chat, and returns the turn's events. */
  take(chatId: string, input: string | TurnInput, options?: TakeOptions): Promise<ChatEvent[]>
}

interface TakeOptions {
  deps?: ChatDeps
  userId?: number
  signal?: AbortSignal
  onEvent?: (event: ChatEvent) => void
}

/** Gives each test a new workspace in a service with a tool server and a fake model. */
export function useChatWorld(): ChatWorld {
  const lines: string[] = []
  const closers: (() => Promise<unknown>)[] = []
  let world: { deps: ChatTestDeps; seed: Seed }
  let model: FakeModel
  let common: Pick<TestDeps, 'config' | 'log'>
  let closeToolServer = async () => {}

  afterAll(() => closeToolServer())
  const database = useTestDatabase()

  const openProcess = async (clock?: TestDeps['clock']): Promise<ChatTestDeps> => {
    const deps = testDeps(database.db, { ...common, ...(clock && { clock }) })
    const client = await openModelClient(deps, settingsOf(model.url))
    closers.push(() => client.close())
    return { ...deps, model: client }
  }

  const startToolServer = async () => {
    const { host, port } = common.config
    const deps = testDeps(database.db, common)
    const app = await createApp(deps, createToolServer(deps))
    await app.listen({ host, port })
    closeToolServer = async () => {
      app.server.closeAllConnections()
      await app.close()
    }
  }

  beforeAll(async () => {
    const port = await findFreePort('127.0.0.1')
    const config = parseConfig({
      HOST: '127.0.0.1',
      PORT: String(port),
      SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
    })
    common = { config, log: await createLog('trace', { write: (line: string) => lines.push(line) > 0 }) }
    await startToolServer()
  })
  beforeEach(async () => {
    lines.length = 0
    model = await startFakeModel()
    const deps = await openProcess()
    world = { deps, seed: await seedWorkspace(deps) }
    await installBuiltInTools(deps, world.seed.workspaceId)
  })
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
    await model.close()
  })

  return {
    get db() {
      return database.db
    },
    get deps() {
      return world.deps
    },
    get seed() {
      return world.seed
    },
    get model() {
      return model
    },
    get log() {
      return lines.join('')
    },
    openProcess: () => openProcess(world.deps.clock),
    stopToolServer: () => closeToolServer(),
    startToolServer,
    assign: async (name, config = {}) => {
      const { workspaceId, agentId } = world.seed
      const tool = (await listTools(world.deps, workspaceId)).find((one) => one.name === name)
      if (tool === undefined) throw new Error(`no tool ${name}`)
      await assignTool(world.deps, workspaceId, agentId, tool.id, config)
    },
    start: async (contact = { sampleValues }) => {
      const { workspaceId, userId, agentId } = world.seed
      return (await startChat(world.deps, { workspaceId, userId }, agentId, contact)).id
    },
    take: async (chatId, given, options = {}) => {
      const { deps = world.deps, signal = new AbortController().signal, onEvent = () => {} } = options
      const { workspaceId, userId } = world.seed
      const input = typeof given === 'string' ? ({ type: 'speech', text: given } as const) : given
      const events: ChatEvent[] = []
      const key = { workspaceId, userId: options.userId ?? userId, chatId }
      for await (const event of takeTurn(deps, key, input, signal)) {
        events.push(event)
        onEvent(event)
      }
      return events
    },
  }
}

const settingsOf = (url: string): LlmSettings => ({
  ...{ url, apiKey: modelKey, apiKeyFile: undefined, fallback: undefined, tokensPerDay: 0 },
  models: ['outdial-fake'],
})

/** Returns the words that the agent said. */
export const wordsOf = (events: readonly ChatEvent[]): string =>
  events.map((event) => (event.type === 'said' ? event.text : '')).join('')

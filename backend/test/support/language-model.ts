import { afterEach, beforeEach } from '@jest/globals'
import { type FakeModel, startFakeModel } from '../../../examples/fake-model/server.ts'
import type { ModelHealth } from '../../calling/conversation/model/health.ts'
import { openModelClient } from '../../calling/conversation/model/model-client.ts'
import { createModelFetch } from '../../calling/conversation/model/model-fetch.ts'
import type { TurnPart, TurnRequest } from '../../calling/conversation/model/stream-turn.ts'
import type { ConversationTool } from '../../calling/conversation/model/tools.ts'
import type { LlmSettings } from '../../config.ts'
import { createLog } from '../../log.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { ManualClock } from './clock.ts'

/** Two servers with a fake model each, and a client that uses the second one as the fallback of the first. */
export interface LanguageModels {
  first: FakeModel
  second: FakeModel
  clock: ManualClock
  /** Returns the logs of all clients. */
  log: () => string
  /** Opens a client. Its connections close after the test. */
  open(options?: OpenOptions): ReturnType<typeof openModelClient>
}

interface OpenOptions {
  settings?: Partial<LlmSettings>
  keepAliveMs?: number
  clock?: Clock
  health?: ModelHealth
}

/** Gives each test new servers on loopback, and a clock that moves only when the test advances it. */
export function useLanguageModels(): LanguageModels {
  const closers: (() => Promise<void>)[] = []
  let servers: FakeModel[] = []
  let lines: string[] = []
  let clock = new ManualClock()
  const serverAt = (index: number) => {
    const server = servers[index]
    if (server === undefined) throw new Error('the servers start before each test')
    return server
  }
  beforeEach(async () => {
    servers = [await startFakeModel(), await startFakeModel()]
    lines = []
    clock = new ManualClock()
  })
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
    for (const server of servers) await server.close()
  })
  return {
    get first() {
      return serverAt(0)
    },
    get second() {
      return serverAt(1)
    },
    get clock() {
      return clock
    },
    log: () => lines.join(''),
    open: async ({ settings, keepAliveMs, clock: ownClock, health } = {}) => {
      const log = await createLog('trace', { write: (line: string) => lines.push(line) > 0 })
      const fallback = {
        ...{ url: serverAt(1).url, model: 'outdial-fake', apiKey: secondKey, apiKeyFile: undefined },
      }
      const client = await openModelClient(
        { log, clock: ownClock ?? clock, health, modelFetch: createModelFetch({ keepAliveMs }) },
        { ...settingsOf(serverAt(0).url), fallback, ...settings },
      )
      closers.push(() => client.close())
      return client
    },
  }
}

export const firstKey = 'key-of-the-first'
export const secondKey = 'key-of-the-second'

const settingsOf = (url: string): LlmSettings => ({
  ...{ url, apiKey: firstKey, apiKeyFile: undefined, fallback: undefined, tokensPerDay: 0 },
  models: ['outdial-fake'],
})

/** Returns a turn request whose only message is from the contact. */
export const turnRequest = (said: string, changes: Partial<TurnRequest> = {}): TurnRequest => ({
  instructions: 'Be polite. Ask: Do you own a house?',
  messages: [{ role: 'user', content: said }],
  tools: [],
  signal: new AbortController().signal,
  ...changes,
})

/** Returns a tool that records its arguments. */
export function recordingTool(name: string, result = 'Done.') {
  const calls: Record<string, unknown>[] = []
  const tool: ConversationTool = {
    name,
    description: `Uses ${name}.`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    execute: async (args) => {
      calls.push(args)
      return result
    },
  }
  return { tool, calls }
}

export async function collect(parts: AsyncIterable<TurnPart>): Promise<TurnPart[]> {
  const collected: TurnPart[] = []
  for await (const part of parts) collected.push(part)
  return collected
}

/** Returns the words that the client yielded, as the contact hears them. */
export const spokenText = (parts: readonly TurnPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

type EndPart = Extract<TurnPart, { type: 'finish' | 'failure' }>

/** Returns the part that ends the turn. Checks that it's the last part, and the only one of its kind. */
export function endOf(parts: readonly TurnPart[]): EndPart {
  const ends = parts.filter((part) => part.type === 'finish' || part.type === 'failure')
  const [end] = ends
  if (end === undefined || ends.length > 1 || parts.at(-1) !== end) throw new Error('a turn ends once')
  return end
}

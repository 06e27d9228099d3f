import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import { version } from '../version.ts'
import { resultJson, usualVersion } from './mcp-messages.ts'

type Reply = (answer: JSONRPCMessage) => void

/** Carries requests of many sessions to one server of the SDK, each under an id of its own, and its answers back. */
class Exchange implements Transport {
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #waiting = new Map<number, { id: JSONRPCRequest['id']; reply: Reply }>()
  #asked = 0

  async start(): Promise<void> {}

  ask(request: JSONRPCRequest, reply: Reply): void {
    this.#asked += 1
    this.#waiting.set(this.#asked, { id: request.id, reply })
    this.onmessage?.({ ...request, id: this.#asked })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message || typeof message.id !== 'number') return
    const asked = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    asked?.reply({ ...message, id: asked.id })
  }

  async close(): Promise<void> {
    this.onclose?.()
  }
}

/** It would validate what clients elicit, which nobody asks them to. */
const noValidator: jsonSchemaValidator = {
  getValidator: () => {
    throw new Error('this server elicits nothing')
  },
}

let shared: Exchange | undefined

/**
 * Lets a server of the SDK answer what is not about tools: initialize, ping, and methods that there are not. One
 * answers for all sessions: none of its answers depends on what it was asked before.
 */
export function askServer(request: JSONRPCRequest, reply: Reply): void {
  shared ??= connect()
  const version = usualVersion(request)
  shared.ask(request, (answer) => {
    if (version !== undefined && SUPPORTED_PROTOCOL_VERSIONS.includes(version) && 'result' in answer)
      greetings.set(version, JSON.stringify(answer.result))
    reply(answer)
  })
}

/** What the server answers to a usual `initialize`, by the version that is asked for. */
const greetings = new Map<string, string>()

/** An answer that was given before to a request that says the same; undefined where the server is to be asked. */
export function knownAnswer(request: JSONRPCRequest): string | undefined {
  const version = usualVersion(request)
  const result = version === undefined ? undefined : greetings.get(version)
  return result === undefined ? undefined : resultJson(request.id, result)
}

function connect(): Exchange {
  const exchange = new Exchange()
  const server = new Server(
    { name: 'outdial', version },
    { capabilities: { tools: { listChanged: true } }, jsonSchemaValidator: noValidator },
  )
  void server.connect(exchange)
  return exchange
}

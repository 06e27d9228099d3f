import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import { version } from '../version.ts'
import { resultJson, plainInitializeVersion } from './mcp-messages.ts'

type Reply = (response: JSONRPCMessage) => void

/** Carries requests of many sessions to one server of the SDK, each under an id of its own, and its answers back. */
class SdkServerTransport implements Transport {
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #pending = new Map<number, { id: JSONRPCRequest['id']; reply: Reply }>()
  #lastId = 0

  async start(): Promise<void> {}

  request(request: JSONRPCRequest, reply: Reply): void {
    this.#lastId += 1
    this.#pending.set(this.#lastId, { id: request.id, reply })
    this.onmessage?.({ ...request, id: this.#lastId })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message || typeof message.id !== 'number') return
    const pending = this.#pending.get(message.id)
    this.#pending.delete(message.id)
    pending?.reply({ ...message, id: pending.id })
  }

  async close(): Promise<void> {
    this.onclose?.()
  }
}

/** It would validate what clients elicit, which nobody asks them to. */
const unusedValidator: jsonSchemaValidator = {
  getValidator: () => {
    throw new Error('this server elicits nothing')
  },
}

let sharedTransport: SdkServerTransport | undefined

/**
 * Lets a server of the SDK answer what is not about tools: initialize, ping, and methods that there are not. One
 * answers for all sessions: none of its answers depends on what it was asked before.
 */
export function forwardToSdkServer(request: JSONRPCRequest, reply: Reply): void {
  sharedTransport ??= connectSdkServer()
  const protocolVersion = plainInitializeVersion(request)
  sharedTransport.request(request, (response) => {
    if (
      protocolVersion !== undefined &&
      SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion) &&
      'result' in response
    )
      initializeResults.set(protocolVersion, JSON.stringify(response.result))
    reply(response)
  })
}

/** What the server answers to a usual `initialize`, by the version that is asked for. */
const initializeResults = new Map<string, string>()

/** An answer that was given before to a request that says the same; undefined where the server is to be asked. */
export function findCachedResponse(request: JSONRPCRequest): string | undefined {
  const protocolVersion = plainInitializeVersion(request)
  const result = protocolVersion === undefined ? undefined : initializeResults.get(protocolVersion)
  return result === undefined ? undefined : resultJson(request.id, result)
}

function connectSdkServer(): SdkServerTransport {
  const transport = new SdkServerTransport()
  const server = new Server(
    { name: 'outdial', version },
    { capabilities: { tools: { listChanged: true } }, jsonSchemaValidator: unusedValidator },
  )
  void server.connect(transport)
  return transport
}

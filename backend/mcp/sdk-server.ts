import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import { version } from '../version.ts'

/** The SDK's own server, which answers what isn't about tools: initialize, ping, and unknown methods. */
export interface SdkServer {
  request(request: JSONRPCRequest): Promise<JSONRPCMessage>
}

/** Creates one server for all sessions: none of its responses depends on earlier requests. */
export function createSdkServer(): SdkServer {
  const transport = new SdkServerTransport()
  const server = new Server(
    { name: 'outdial', version },
    { capabilities: { tools: { listChanged: true } }, jsonSchemaValidator: unusedValidator },
  )
  void server.connect(transport)
  return transport
}

/** Would validate what clients elicit, but this server asks them for nothing. */
const unusedValidator: jsonSchemaValidator = {
  getValidator: () => {
    throw new Error('this server elicits nothing')
  },
}

/** Carries the requests of many sessions to one server, each under an ID of its own, and the responses back. */
class SdkServerTransport implements Transport, SdkServer {
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #pending = new Map<number, (response: JSONRPCMessage) => void>()
  #lastId = 0

  async start(): Promise<void> {}

  async request(request: JSONRPCRequest): Promise<JSONRPCMessage> {
    this.#lastId += 1
    const id = this.#lastId
    const response = new Promise<JSONRPCMessage>((resolve) => this.#pending.set(id, resolve))
    this.onmessage?.({ ...request, id })
    return { ...(await response), id: request.id }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message || typeof message.id !== 'number') return
    this.#pending.get(message.id)?.(message)
    this.#pending.delete(message.id)
  }

  async close(): Promise<void> {
    this.onclose?.()
  }
}

import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import { version } from '../../version.ts'

/** Carries one request to a server of the SDK, and what it answers to `reply`. */
class Exchange implements Transport {
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #reply: (message: JSONRPCMessage) => void

  constructor(reply: (message: JSONRPCMessage) => void) {
    this.#reply = reply
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.#reply(message)
  }

  async close(): Promise<void> {
    this.onclose?.()
  }
}

/** It would validate what clients elicit, which nobody asks them to. Making one for each server costs more than the rest. */
const noValidator: jsonSchemaValidator = {
  getValidator: () => {
    throw new Error('this server elicits nothing')
  },
}

/**
 * Lets a server of the SDK answer what is not about tools: initialize, ping, and methods that there are not. It is made
 * for this one request, and keeps nothing: a session that waits costs no server.
 */
export function askServer(request: JSONRPCRequest, reply: (message: JSONRPCMessage) => void): void {
  const exchange = new Exchange(reply)
  const server = new Server(
    { name: 'outdial', version },
    { capabilities: { tools: { listChanged: true } }, jsonSchemaValidator: noValidator },
  )
  void server.connect(exchange)
  exchange.onmessage?.(request)
}

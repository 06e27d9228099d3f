import type { Transport } from '@modelcontextprotocol/client'

/**
 * Wraps a transport. Drops the server's notifications, and passes on only one of its requests, such as a ping, at a time.
 * Drops requests that arrive meanwhile, because the SDK would respond to any number at once, with a connection for each.
 */
export function ignoreFloods(transport: Transport): Transport {
  let isAnswering = false
  const wrapped: Transport = {
    start: () => {
      transport.onclose = () => wrapped.onclose?.()
      transport.onerror = (error) => wrapped.onerror?.(error)
      transport.onmessage = (message, extra) => {
        const isRequest = 'method' in message
        if (isRequest && (!('id' in message) || isAnswering)) return
        if (isRequest) isAnswering = true
        wrapped.onmessage?.(message, extra)
      }
      return transport.start()
    },
    send: async (message, options) => {
      const isAnswer = !('method' in message)
      await transport.send(message, options).finally(() => {
        if (isAnswer) isAnswering = false
      })
    },
    close: () => transport.close(),
    hasPerRequestStream: transport.hasPerRequestStream,
    setSupportedProtocolVersions: (v) => transport.setSupportedProtocolVersions?.(v),
    get sessionId() {
      return transport.sessionId
    },
    setProtocolVersion: (protocolVersion) => transport.setProtocolVersion?.(protocolVersion),
  }
  return wrapped
}

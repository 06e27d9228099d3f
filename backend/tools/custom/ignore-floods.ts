import type { Transport } from '@modelcontextprotocol/client'

/**
 * Wraps a transport. Drops the notifications of the server, and answers one of its requests at a time, such as a ping: the
 * SDK would answer any number at once, with a connection for each. Requests that arrive meanwhile are dropped.
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

import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Calls `onAnswer` when a response, such as a 404, begins before the request's body has arrived. Closes the connection after
 * that response: otherwise, Node would read and drop the rest of the body, however long, before the next request.
 *
 * @param lingerMs how long the rest of the body is still read. If the connection closed at once, a client that's still sending
 *   could lose the response.
 */
export function closeAfterEarlyAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  { lingerMs, onAnswer }: { lingerMs: number; onAnswer: () => void },
): void {
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse
  // Node calls `writeHead` for each response, even if a handler calls only `end`.
  res.writeHead = (...args: unknown[]) => {
    if (!req.complete) {
      onAnswer()
      res.shouldKeepAlive = false
      lingerAtEnd(req.socket, lingerMs)
    }
    return writeHead(...args)
  }
}

/** Makes a connection stay readable for `lingerMs` after its last response. Node would close both directions at once. */
function lingerAtEnd(socket: IncomingMessage['socket'], lingerMs: number): void {
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
  }
}

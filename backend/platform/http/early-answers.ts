import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Calls `onAnswer` when a response begins before the request's body has arrived, such as a 404. Closes the connection after
 * that: Node would read and drop the rest, however long it is, and only then the next request.
 *
 * @param lingerMs how long the rest is still read. A client that's sending could lose the response if the connection closed
 *   at once.
 */
export function closeAfterEarlyAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  { lingerMs, onAnswer }: { lingerMs: number; onAnswer: () => void },
): void {
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse
  // Node calls it for each response, also if only `end` was called.
  res.writeHead = (...args: unknown[]) => {
    if (!req.complete) {
      onAnswer()
      res.shouldKeepAlive = false
      lingerAtEnd(req.socket, lingerMs)
    }
    return writeHead(...args)
  }
}

/** Replaces what Node does at the end of a connection's last response: it closes both directions. */
function lingerAtEnd(socket: IncomingMessage['socket'], lingerMs: number): void {
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
  }
}

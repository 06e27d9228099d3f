import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The caller's own id where it is sane (it ends up in logs and headers), else a new one. */
export function getRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const header = request.headers['x-request-id']
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : randomUUID()
}

import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { secondMs } from '../../platform/core/durations.ts'
import type { Replicas } from '../../platform/replicas/replicas.ts'
import { toolTimeoutMs } from './call-tool.ts'
import { parseMessage } from './mcp-messages.ts'
import { malformedMessage, sessionNotFound, ToolServerError } from './tool-server-error.ts'

/**
 * A request in a session. The process that has the session handles it. The process that received it has already checked its
 * host, its origin, and the format of its message.
 */
export const SessionRequest = z.object({
  transport: z.enum(['sse', 'streamable']),
  method: z.enum(['GET', 'POST', 'DELETE']),
  sessionId: z.string(),
  /** The SHA-256 of each credential of the request, in base64. */
  digests: z.array(z.string()),
  /** The message of a POST. Requests with other methods have no message. */
  message: z
    .unknown()
    .optional()
    .transform((message) => (message === undefined ? undefined : parseMessage(message))),
})
export type SessionRequest = z.infer<typeof SessionRequest>

const SessionReply = z.discriminatedUnion('state', [
  z.object({ state: z.literal('accepted') }),
  z.object({ state: z.literal('responded'), response: z.unknown() }),
  z.object({ state: z.literal('not_found') }),
  /** The process that opened the session no longer runs. */
  z.object({ state: z.literal('gone') }),
  z.object({ state: z.literal('repeated_id') }),
  /** The process that has the session is stopping, or can't be reached. */
  z.object({ state: z.literal('unavailable') }),
  /** The request reached the session and may have taken effect, but the response didn't arrive. */
  z.object({ state: z.literal('unanswered') }),
])
export type SessionReply = z.infer<typeof SessionReply>

/** How long to wait if the owner, the process that has the session, only has to accept the request. */
const acceptTimeoutMs = 2 * secondMs
/** How long to wait for the owner's response. The owner needs less time, even if it aborts a tool at its time limit. */
const responseTimeoutMs = toolTimeoutMs + 5 * secondMs

/** Returns a new session ID. It begins with the ID of this process, so that any process can find the session. */
export const createSessionId = ({ nodeId }: Replicas): string =>
  `${nodeId}.${randomBytes(16).toString('hex')}`

/** Returns true for the ID of a session that another process opened. */
export const isForeignSession = ({ nodeId }: Replicas, sessionId: string): boolean =>
  /^[0-9a-f]{16}\.[0-9a-f]{32}$/.test(sessionId) && !sessionId.startsWith(`${nodeId}.`)

/** Sends a request to the process whose ID the session ID begins with. Never sends it twice, because tools have effects. */
export async function forwardToSession(replicas: Replicas, request: SessionRequest): Promise<SessionReply> {
  const [owner = ''] = request.sessionId.split('.')
  const hasResponse = request.transport === 'streamable' && request.method === 'POST'
  const timeoutMs = hasResponse ? responseTimeoutMs : acceptTimeoutMs
  const result = await replicas.request(owner, request, timeoutMs)
  if (result.state === 'gone') return { state: 'gone' }
  if (result.state === 'responded') return SessionReply.parse(result.body)
  // Only a message has effects that a second request would repeat, so a client can send any other request again.
  return { state: request.method === 'POST' ? result.state : 'unavailable' }
}

/** @throws {ToolServerError} if the session didn't accept the request */
export function requireDelivered(reply: SessionReply): void {
  switch (reply.state) {
    case 'not_found':
    case 'gone':
      throw sessionNotFound()
    case 'repeated_id':
      throw malformedMessage('id', 'invalid.request_id')
    case 'unavailable':
      throw new ToolServerError('unavailable.session', { headers: { 'Retry-After': '1' } })
    case 'accepted':
    case 'responded':
    case 'unanswered':
  }
}

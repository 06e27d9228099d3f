import { badMessage, unknownSession } from './tool-server-error.ts'
import type { RuntimeSecrets } from '../secrets/verify-runtime-secret.ts'
import type { Session } from './tool-session.ts'
import { answerAccepted, receiveMessage } from './mcp-http.ts'
import type { Methods, SessionDesk, ToolHttpRequest, ToolRoutes } from './tool-transport.ts'
import { SseTransport } from '../tools/transport/sse.ts'

/** The two addresses of HTTP+SSE: the stream, and where its client posts. */
export function createSseRoutes(options: {
  desk: SessionDesk
  secrets: RuntimeSecrets
  publicUrl: string
}): ToolRoutes {
  const { desk, secrets } = options
  // A proxy may serve this service below a path of its own.
  const messages = `${new URL(options.publicUrl).pathname.replace(/\/$/, '')}/api/mcp/messages/`

  const open = async (request: ToolHttpRequest): Promise<void> => {
    const { res, requestId } = request
    const admission = await desk.admit(request)
    if (res.destroyed) return // the client has gone meanwhile
    const id = desk.newId()
    const transport = new SseTransport(res)
    desk.open(admission, id, transport)
    transport.open(`${messages}?sessionId=${id}`, requestId)
  }

  const post = ({ req, res, requestId, fail }: ToolHttpRequest): void => {
    const { session, query } = sessionOf(desk, req.url ?? '')
    if (!secrets.permits(session.secret, req.headers, query)) throw unknownSession()
    receiveMessage(
      req,
      (message) => {
        // It may have ended while the message was on its way.
        if (session.isClosed) throw unknownSession()
        session.receive(message)
        answerAccepted(res, requestId)
      },
      fail,
    )
  }

  return new Map<string, Methods>([
    ['/api/mcp/sse/', { GET: (request) => void open(request).catch(request.fail) }],
    ['/api/mcp/messages/', { POST: post }],
  ])
}

function find(desk: SessionDesk, id: string): Session | undefined {
  const session = desk.find(id)
  return session?.transport instanceof SseTransport ? session : undefined
}

/** What clients nearly always post to; other spellings are parsed. */
const usual = '/api/mcp/messages/?sessionId='

/** @throws {Refusal} malformed_json, not_found */
function sessionOf(desk: SessionDesk, url: string): { session: Session; query: URLSearchParams | undefined } {
  const known = url.startsWith(usual) ? find(desk, url.slice(usual.length)) : undefined
  if (known !== undefined) return { session: known, query: undefined }
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const id = query.get('sessionId') ?? query.get('session_id')
  if (id === null)
    throw badMessage('sessionId is missing: post to the address that the stream gave.', 'sessionId')
  if (!/^[\w.-]{1,128}$/.test(id)) throw badMessage('sessionId is not one that the stream gave.', 'sessionId')
  const session = find(desk, id)
  if (session === undefined) throw unknownSession()
  return { session, query }
}

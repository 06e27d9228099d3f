import { once } from 'node:events'
import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/client'
import { serveRequests } from '../../platform/core/request-thread.ts'
import { connectRemote, type RemoteAddress, type RemoteSession } from './connect-remote.ts'
import { rethrowSessionGone, toRemoteFailure } from './remote-errors.ts'
import type { RemoteFailure } from './remote-failure.ts'

/** The thread that communicates with remote MCP servers. It parses and validates everything that these servers send. */

/** A request in a session. `session` is an ID that the main thread chooses. */
export type RemoteRequest = { session: string } & (
  | { type: 'open'; address: RemoteAddress }
  | { type: 'list tools'; cursor: string | undefined }
  | { type: 'call tool'; name: string; args: Record<string, unknown> }
  | { type: 'wait for the end' }
  | { type: 'close' }
)

export type RemoteResult =
  | { type: 'done' }
  | { type: 'tools'; list: ListToolsResult }
  | { type: 'called'; result: CallToolResult }
  | { type: 'failed'; failure: RemoteFailure }

const done = { type: 'done' } as const
const sessions = new Map<string, Promise<RemoteSession>>()

serveRequests<RemoteRequest, RemoteResult>((request, signal) =>
  handle(request, signal).catch((error: unknown) => ({ type: 'failed', failure: toRemoteFailure(error) })),
)

async function handle(request: RemoteRequest, signal: AbortSignal): Promise<RemoteResult> {
  if (request.type === 'open') sessions.set(request.session, connectRemote(request.address, signal))
  const opening = sessions.get(request.session)
  if (request.type === 'close') sessions.delete(request.session)
  const session = await opening
  if (session === undefined) throw new Error(`invariant: no session ${request.session}`)
  switch (request.type) {
    case 'open':
      return done
    case 'list tools':
      return { type: 'tools', list: await session.listTools(request.cursor, signal) }
    case 'call tool': {
      const result = await session.callTool(request.name, request.args, signal).catch(rethrowSessionGone)
      return { type: 'called', result }
    }
    case 'wait for the end':
      if (!session.disconnected.aborted) await once(session.disconnected, 'abort')
      return done
    case 'close':
      await session.close()
      return done
  }
}

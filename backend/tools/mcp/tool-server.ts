import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Deps } from '../../deps.ts'
import { Cache } from '../../platform/core/cache.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { describeError } from '../../platform/core/errors.ts'
import type { ToolAccess, ToolChange } from '../../platform/core/notify.ts'
import { scopeToWorkspace } from '../../platform/db/workspace-scope.ts'
import { toApiError } from '../../platform/http/error-handler.ts'
import { getRequestId } from '../../platform/http/request-log.ts'
import {
  createRuntimeCredentialVerifier,
  invalidSecret,
} from '../../platform/secrets/verify-runtime-credential.ts'
import { ArgumentValidators } from '../json-schema/argument-validator.ts'
import { toolKinds } from '../kind-registry.ts'
import type { ToolKinds } from '../kinds/tool-kind.ts'
import { authorizeSession } from './authorize-session.ts'
import { callTool } from './call-tool.ts'
import type { Backlog } from './event-stream.ts'
import { InFlightRequests } from './in-flight-requests.ts'
import { sendError } from './mcp-http.ts'
import { findLiveCall, findLiveChat } from './mcp-store.ts'
import { createOriginCheck } from './origin-check.ts'
import { createSessionId, forwardToSession, isForeignSession, SessionRequest } from './remote-sessions.ts'
import { contextTtlMs, loadSessionContext, type SessionContext } from './session-context.ts'
import { SessionRegistry, type ToolSessions } from './session-registry.ts'
import { createSessionUpkeep } from './session-upkeep.ts'
import { createSseRoutes } from './sse-transport.ts'
import { createStreamableRoutes } from './streamable-routes.ts'
import { ToolServerError } from './tool-server-error.ts'
import { type SessionHost, ToolSession } from './tool-session.ts'
import {
  findMethodHandlers,
  type LimitBody,
  type MethodHandlers,
  parseQuery,
  requireMethod,
  type TransportRequest,
} from './tool-transport.ts'

export interface ToolServer {
  /** Handles a request if its path belongs to the tool server. Otherwise, returns false. */
  handle(req: IncomingMessage, res: ServerResponse, limitBody: LimitBody): boolean
  /** Drops cached data that a change has made outdated, and notifies the affected sessions. */
  toolsChanged: (change: ToolChange) => void
  /** Drops cached data about an attempt that has ended. */
  toolAccessEnded: (attempt: ToolAccess) => void
  /** Closes the sessions whose runtime secret is no longer valid. */
  secretsChanged(): void
  /**
   * Rejects new requests, waits for those in flight, and closes the sessions. After `timeoutMs`, aborts the requests.
   */
  close(timeoutMs?: number): Promise<void>
}

const cacheTtlMs = { found: contextTtlMs, missing: 3 * secondMs }

/**
 * Creates the MCP server that offers agents' tools to agent runtimes and to Outdial's own conversations, on plain node:http.
 *
 * @param options.kinds the kinds that tools can have
 * @param options.sessionsPerWidget how many sessions one agent can have open
 * @param options.maxSessions how many sessions all agents together can have open
 */
export function createToolServer(
  deps: Deps,
  options: { kinds?: ToolKinds; sessionsPerWidget?: number; maxSessions?: number } = {},
): ToolServer {
  const { kinds = toolKinds, sessionsPerWidget = 2_000, maxSessions = 20_000 } = options
  const { clock, log, config } = deps
  const credentials = createRuntimeCredentialVerifier(deps, { forConversations: true })
  const checkOrigin = createOriginCheck(config)
  const catalog = { kinds, validators: new ArgumentValidators() }
  const contexts = new Cache<SessionContext>(clock, cacheTtlMs, (widgetId) =>
    loadSessionContext(deps, catalog, widgetId),
  )
  const calls = new Cache(clock, cacheTtlMs, (attemptId) => findLiveCall(deps.db, attemptId))
  const sessions = new SessionRegistry(sessionsPerWidget, maxSessions)
  const inFlightRequests = new InFlightRequests()
  const backlog: Backlog = { bytes: 0 }
  const upkeep = createSessionUpkeep({ clock, log, sessions, inFlightRequests })
  let isClosing = false

  const now = () => clock.now().getTime()
  const findContext = (widgetId: string) => contexts.get(widgetId)
  const findCall = (attemptId: string) => calls.get(attemptId)
  // Doesn't use the cache, because a notification from the process that ends the attempt can get lost.
  const findCurrentCall = (attemptId: string) => findLiveCall(deps.db, attemptId)
  const findCurrentChat = (conversationId: string) => findLiveChat(deps.db, conversationId)

  const host: SessionHost = {
    callTool: (request) => callTool(scopeToWorkspace(deps, request.tool.row.workspaceId), request),
    findContext,
    findCurrentCall,
    findCurrentChat,
    now,
    onError: (error) => log.error({ error: describeError(error) }, 'failed to handle a tool request'),
    inFlightRequests,
    onClosed: (session) => {
      sessions.remove(session, { isForeign: isForeignSession(deps.replicas, session.id) })
      log.debug({ workspace_id: session.context.workspaceId }, 'tool session closed')
    },
  }

  const toolSessions: ToolSessions = {
    authorize: ({ req }) => {
      const lookups = { credentials, findContext, findCall, findCurrentCall, findCurrentChat }
      return authorizeSession(lookups, req.headers, parseQuery(req))
    },
    createId: () => createSessionId(deps.replicas),
    find: (id) => sessions.get(id),
    isOwn: (id) =>
      !deps.replicas.isConnectable ||
      sessions.get(id) !== undefined ||
      sessions.hasEndedForeign(id) ||
      !isForeignSession(deps.replicas, id),
    canContinue: (id) =>
      sessions.get(id) === undefined && !sessions.hasEndedForeign(id) && isForeignSession(deps.replicas, id),
    forward: (request) => forwardToSession(deps.replicas, request),
    open: (client, id, transport) => {
      // The server may have stopped, or the secret may have expired, while the client was being authorized.
      if (isClosing) throw stoppingError()
      if (!credentials.isValid(client.credential)) throw invalidSecret()
      sessions.requireCapacity(client.widgetId)
      const session = new ToolSession(host, { ...client, id }, transport)
      sessions.add(session)
      upkeep.start()
      log.debug({ workspace_id: client.context.workspaceId }, 'tool session opened')
      return session
    },
  }

  const sse = createSseRoutes({ toolSessions, backlog })
  const streamable = createStreamableRoutes({ toolSessions, credentials, now, backlog })
  const routes = new Map([...sse.routes, ...streamable.routes])
  deps.replicas.serve(async (body) => {
    if (isClosing) return { state: 'unavailable' }
    const request = SessionRequest.parse(body)
    return request.transport === 'sse' ? sse.handle(request) : streamable.handle(request)
  })

  const handleRequest = async (request: TransportRequest, methods: MethodHandlers): Promise<void> => {
    try {
      const handler = requireMethod(methods, request.req.method)
      checkOrigin(request.req.headers)
      if (isClosing) throw stoppingError()
      await handler(request)
    } catch (error) {
      respondToError(deps, request, error)
    }
  }

  return {
    handle: (req, res, limitBody) => {
      const methods = findMethodHandlers(routes, req.url ?? '')
      if (methods === undefined) return false
      void handleRequest({ req, res, requestId: getRequestId(req), limitBody }, methods)
      return true
    },

    toolAccessEnded: ({ attemptId }) => calls.drop(attemptId.toLowerCase()),

    toolsChanged: (change) => {
      const isAffected = ({ workspaceId, agentId }: SessionContext) =>
        workspaceId === change.workspaceId && (change.agentId === undefined || change.agentId === agentId)
      // A session that's being opened may already use one of these contexts.
      for (const context of contexts.dropWhere(isAffected)) context.isCurrent = false
      for (const session of sessions.filterByContext(isAffected)) {
        session.context.isCurrent = false
        session.notifyListChanged()
      }
    },

    secretsChanged: () => {
      for (const session of sessions.filter(({ credential }) => !credentials.isValid(credential)))
        session.close()
    },

    close: async (timeoutMs = 10 * secondMs) => {
      isClosing = true
      await finishRequests(clock, inFlightRequests, timeoutMs)
      for (const session of sessions.filter(() => true)) session.close()
      upkeep.stop()
      await Promise.all([...kinds.values()].map(async (kind) => kind.close?.()))
    },
  }
}

/** Logs and counts an error, and sends it as the response. */
function respondToError(
  { log, metrics }: Pick<Deps, 'log' | 'metrics'>,
  { req, res, requestId }: TransportRequest,
  error: unknown,
): void {
  const httpError = error instanceof ToolServerError ? error : toApiError(error)
  metrics.rejectedRequests.inc({ code: httpError.code })
  if (httpError.status >= 500)
    log.error(
      { request_id: requestId, code: httpError.code, error: describeError(error) },
      'failed to handle a tool server request',
    )
  else
    log.info(
      { request_id: requestId, method: req.method, status: httpError.status, code: httpError.code },
      'rejected a tool server request',
    )
  sendError(res, requestId, httpError)
}

/** Waits until no request is in progress. Aborts the remaining ones after `timeoutMs`. */
async function finishRequests(
  clock: Clock,
  inFlightRequests: InFlightRequests,
  timeoutMs: number,
): Promise<void> {
  const allDone = new AbortController()
  const deadline = clock
    .wait(timeoutMs, allDone.signal)
    .then(() => inFlightRequests.abort('stopping', () => true))
  await inFlightRequests.whenIdle()
  allDone.abort()
  await deadline
}

const stoppingError = () =>
  new ToolServerError('unavailable.restarting', {
    headers: { 'Retry-After': '5', Connection: 'close' },
  })

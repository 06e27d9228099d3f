import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Deps, ToolChange } from '../deps.ts'
import { translate } from '../http/error-handler.ts'
import { describeError } from '../describe-error.ts'
import { requestIdOf } from '../http/request-id.ts'
import { admit } from './authorize-session.ts'
import { Cache } from '../core/cache.ts'
import { callTool, toolLimitMs } from './call-tool.ts'
import { contextLifetimeMs, resolveContext, type SessionContext, type ToolKinds } from './session-context.ts'
import { readCall } from './mcp-store.ts'
import { Flights } from '../tools/flights.ts'
import { createHostCheck } from './host-check.ts'
import { toolKinds } from '../tools/kind-registry.ts'
import { Pulse } from '../core/periodic.ts'
import { Refusal } from './tool-server-error.ts'
import { createRuntimeSecrets, invalidSecret } from '../secrets/verify-runtime-secret.ts'
import { Session, type SessionHost } from './tool-session.ts'
import { Sessions } from './session-registry.ts'
import { refuse } from './mcp-http.ts'
import { createSseRoutes } from './sse-transport.ts'
import { createStreamableRoutes } from './streamable-transport.ts'
import {
  type Methods,
  methodsAt,
  queryOf,
  requireRoute,
  type SessionDesk,
  type ToolHttpRequest,
} from './tool-transport.ts'

export interface ToolServer {
  /** Takes a request whose path is the tool server's; false where it is somebody else's. */
  handle(req: IncomingMessage, res: ServerResponse): boolean
  /** Forgets what a change made untrue, and tells the sessions that it concerns. */
  changed(change: ToolChange): void
  /** Closes the sessions of runtime secrets that are valid no longer. */
  secretsChanged(): void
  /** Takes no more, lets what is under way end (at most `graceMs`), and ends the streams. */
  close(graceMs?: number): Promise<void>
}

const beatMs = 1_000
/** Each session gives a sign of life once in so many beats, one part of them at a time. */
const beatsPerSign = 20
const lifetimes = { found: contextLifetimeMs, missing: 3_000 }

/**
 * The service's MCP server, for its own agent runtime, on plain node:http. `kinds`: what its tools can be;
 * `sessionsPerWidget`: how many sessions one agent may have open.
 */
export function createToolServer(
  deps: Deps,
  options: { kinds?: ToolKinds; sessionsPerWidget?: number } = {},
): ToolServer {
  const { kinds = toolKinds, sessionsPerWidget = 2_000 } = options
  const { clock, log, config } = deps
  const secrets = createRuntimeSecrets(deps.runtimeSecrets)
  const checkHost = createHostCheck(config)
  const contexts = new Cache<SessionContext>(clock, lifetimes, resolveContext(deps, kinds))
  const calls = new Cache(clock, lifetimes, (attemptId) => readCall(deps.db, attemptId))
  const sessions = new Sessions(sessionsPerWidget)
  const flights = new Flights()
  let beats = 0
  let isClosing = false

  const now = () => clock.now().getTime()
  const contextOf = (widgetId: string) => contexts.get(widgetId)
  const callOf = (attemptId: string) => calls.get(attemptId)

  const pulse = new Pulse(clock, beatMs, () => {
    beats += 1
    const latest = now() - toolLimitMs
    flights.breakOff('timeout', ({ startedAt }) => startedAt <= latest)
    const isDue = ({ id }: Session) => parseInt(id.slice(-2), 16) % beatsPerSign === beats % beatsPerSign
    for (const { transport } of sessions.where(isDue)) transport.beat(now())
    if (sessions.size === 0 && flights.size === 0) pulse.stop()
  })

  const host: SessionHost = {
    callTool: callTool(deps),
    contextOf,
    now,
    onError: (error) => log.error({ error: describeError(error) }, 'a session met an error'),
    flights,
    onClosed: (session) => {
      sessions.remove(session)
      log.debug({ workspace_id: session.context.workspaceId }, 'a tool session ended')
    },
  }

  const desk: SessionDesk = {
    admit: ({ req }) => admit({ secrets, contextOf, callOf })(req.headers, queryOf(req)),
    newId: randomUUID,
    find: (id) => sessions.get(id),
    open: (admission, id, transport) => {
      // Either may have changed while the client was admitted.
      if (isClosing) throw stopping()
      if (!secrets.isValid(admission.secret)) throw invalidSecret()
      sessions.requireRoom(admission.widgetId)
      const session = new Session(host, { ...admission, id }, transport)
      sessions.add(session)
      pulse.start()
      log.debug({ workspace_id: admission.context.workspaceId }, 'a tool session began')
      return session
    },
  }

  const routes = new Map([
    ...createSseRoutes({ desk, secrets, publicUrl: config.publicUrl }),
    ...createStreamableRoutes({ desk, secrets, now }),
  ])

  const dispatch = (request: ToolHttpRequest, methods: Methods) => {
    const route = requireRoute(methods, request.req.method)
    checkHost(request.req.headers)
    if (isClosing) throw stopping()
    route(request)
  }

  return {
    handle: (req, res) => {
      const methods = methodsAt(routes, req.url ?? '')
      if (methods === undefined) return false
      const requestId = requestIdOf(req)
      const fail = (error: unknown) => {
        const refusal = error instanceof Refusal ? error : translate(error)
        if (refusal.status >= 500)
          log.error({ request_id: requestId, error: describeError(error) }, refusal.code)
        else log.info({ request_id: requestId, method: req.method, status: refusal.status }, refusal.code)
        refuse(res, requestId, refusal, !req.complete)
      }
      try {
        dispatch({ req, res, requestId, fail }, methods)
      } catch (error) {
        fail(error)
      }
      return true
    },

    changed: (change) => {
      if ('endedAttempt' in change) {
        calls.drop(change.endedAttempt.toLowerCase())
        return
      }
      const isMeant = ({ workspaceId, agentId }: SessionContext) =>
        workspaceId === change.workspaceId && (change.agentId === undefined || change.agentId === agentId)
      // One may be on its way to a session that is just being opened.
      for (const context of contexts.dropWhere(isMeant)) context.isCurrent = false
      for (const session of sessions.ofContext(isMeant)) {
        session.context.isCurrent = false
        session.tellListChanged()
      }
    },

    secretsChanged: () => {
      for (const session of sessions.where(({ secret }) => !secrets.isValid(secret))) session.close()
    },

    close: async (graceMs = 10_000) => {
      isClosing = true
      const landed = new AbortController()
      const patience = clock.wait(graceMs, landed.signal).then(() => flights.breakOff('stopping', () => true))
      await flights.whenLanded()
      landed.abort()
      await patience
      for (const session of sessions.where(() => true)) session.close()
      pulse.stop()
      await Promise.all([...kinds.values()].map(async (kind) => kind.close?.()))
    },
  }
}

const stopping = () =>
  new Refusal('unavailable', 'The service is restarting: connect again shortly.', {
    headers: { 'Retry-After': '5', Connection: 'close' },
  })

import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod'
import { fieldIssue } from '../core/errors.ts'
import type { RuntimeSecret, RuntimeSecretVerifier } from '../secrets/verify-runtime-secret.ts'
import type { LiveCall } from '../tools/kinds/tool-kind.ts'
import type { SessionContext } from './session-context.ts'
import { ToolServerError } from './tool-server-error.ts'

/** A client that may open a session, and what the session acts for. */
export interface AuthorizedClient {
  widgetId: string
  secret: RuntimeSecret
  call: LiveCall | undefined
  context: SessionContext
}

interface SessionLookups {
  secrets: RuntimeSecretVerifier
  findContext(widgetId: string): Promise<SessionContext | undefined>
  findCall(attemptId: string): Promise<(LiveCall & { agentId: number }) | undefined>
}

/**
 * Authorizes a client, which must send a valid runtime secret and an agent's widget ID. It can also send the ID of a
 * call in progress. Checks the secret first, so that errors don't reveal which agents and calls exist.
 *
 * @throws {ToolServerError}
 */
export async function authorizeSession(
  lookups: SessionLookups,
  headers: IncomingHttpHeaders,
  query: URLSearchParams,
): Promise<AuthorizedClient> {
  const secret = lookups.secrets.require(headers, query)
  const widgetId = requireWidgetId(query.get('widget_id'))
  const context = await lookups.findContext(widgetId)
  if (context === undefined) throw agentNotFound()
  const call = await requireCall(lookups, query.get('call_id'), context.agentId)
  // A call in progress continues even if its agent has been paused since it started.
  if (!context.isLive && call === undefined) throw agentNotLive()
  return { widgetId, secret, call, context }
}

const Uuid = z.guid().toLowerCase()

function requireWidgetId(value: string | null): string {
  if (value === null || value === '') {
    throw new ToolServerError('validation_failed', {
      details: [fieldIssue('widget_id', 'required.widget_id')],
    })
  }
  const widgetId = Uuid.safeParse(value).data
  if (widgetId === undefined) throw agentNotFound()
  return widgetId
}

async function requireCall(
  lookups: SessionLookups,
  value: string | null,
  agentId: number,
): Promise<LiveCall | undefined> {
  if (value === null || value === '') return undefined
  const attemptId = Uuid.safeParse(value).data
  const call = attemptId === undefined ? undefined : await lookups.findCall(attemptId)
  if (call?.agentId !== agentId) {
    throw new ToolServerError('not_found', { details: [fieldIssue('call_id', 'not_found.call_id')] })
  }
  return call
}

const agentNotFound = () =>
  new ToolServerError('not_found', { details: [fieldIssue('widget_id', 'not_found.widget_id')] })

const agentNotLive = () => new ToolServerError('agent_not_live.session')

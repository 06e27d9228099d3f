import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod'
import type { RuntimeSecret, RuntimeSecretVerifier } from '../secrets/verify-runtime-secret.ts'
import type { LiveCall } from '../tools/kinds/tool-kind.ts'
import type { SessionContext } from './session-context.ts'
import { ToolServerError } from './tool-server-error.ts'

/** Whom a session was opened for. */
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
 * Lets a client in who shows a good secret and names an agent, and the call that it acts for, if any. Only who has the
 * secret is told what there is.
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
  // A call in progress goes on with its agent, though somebody paused that meanwhile.
  if (!context.isLive && call === undefined) throw agentNotLive()
  return { widgetId, secret, call, context }
}

const Uuid = z.guid().toLowerCase()

function requireWidgetId(value: string | null): string {
  if (value === null || value === '') {
    const message = "widget_id is required. Send the agent's widget ID."
    throw new ToolServerError('validation_failed', message, {
      details: [{ field: 'widget_id', code: 'required', message }],
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
    throw new ToolServerError('not_found', 'This agent has no call with this call_id, or it has ended.', {
      details: [{ field: 'call_id', code: 'not_found', message: 'No call in progress has this ID.' }],
    })
  }
  return call
}

const agentNotFound = () =>
  new ToolServerError('not_found', 'No agent has this widget_id.', {
    details: [{ field: 'widget_id', code: 'not_found', message: 'No agent has this ID.' }],
  })

const agentNotLive = () =>
  new ToolServerError('agent_not_live', "This agent isn't Live. Publish it in the dashboard first.")

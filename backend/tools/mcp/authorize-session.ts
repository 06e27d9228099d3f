import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod'
import { fieldIssue } from '../../platform/core/errors.ts'
import {
  expiredAttemptToken,
  expiredConversationToken,
  type RuntimeCredential,
  type RuntimeCredentialVerifier,
} from '../../platform/secrets/verify-runtime-credential.ts'
import type { LiveCall, LiveChat, ToolConversation } from '../kinds/tool-kind.ts'
import type { SessionContext } from './session-context.ts'
import { ToolServerError } from './tool-server-error.ts'

/** A client that may open a session, and what the session acts for. */
export interface AuthorizedClient extends ToolConversation {
  widgetId: string
  credential: RuntimeCredential
  context: SessionContext
}

interface SessionLookups {
  credentials: RuntimeCredentialVerifier
  findContext(widgetId: string): Promise<SessionContext | undefined>
  /** May return a call that ended in another process within the last 30 seconds. */
  findCall(attemptId: string): Promise<(LiveCall & { widgetId: string }) | undefined>
  /** Returns only a call that is live now. */
  findCurrentCall(attemptId: string): Promise<(LiveCall & { widgetId: string }) | undefined>
  /** Returns only a chat that isn't over. */
  findCurrentChat(conversationId: string): Promise<(LiveChat & { widgetId: string }) | undefined>
}

/**
 * Authorizes a client, which sends either a token, or a runtime secret, an agent's widget ID, and optionally the ID of a
 * call in progress. An attempt token implies both IDs, and a conversation token implies the agent and its chat. Checks the
 * credential first, so that errors don't reveal which agents and calls exist.
 *
 * @throws {ToolServerError}
 */
export async function authorizeSession(
  lookups: SessionLookups,
  headers: IncomingHttpHeaders,
  query: URLSearchParams,
): Promise<AuthorizedClient> {
  const credential = lookups.credentials.require(headers, query)
  const tokenCall = await findTokenCall(lookups, credential)
  const chat = await findTokenChat(lookups, credential)
  const ofToken = tokenCall ?? chat
  const widgetId = requireWidgetId(query.get('widget_id') || (ofToken?.widgetId ?? null))
  if (ofToken !== undefined && ofToken.widgetId !== widgetId) throw agentNotFound()
  const context = await lookups.findContext(widgetId)
  if (context === undefined) throw agentNotFound()
  const call = (await findRequestedCall(lookups, query.get('call_id'), widgetId)) ?? tokenCall
  if (ofToken !== undefined && tokenCall?.attemptId !== call?.attemptId) throw callNotFound()
  // A call in progress continues even if its agent has been paused since it started, and members can chat with drafts.
  if (!context.isLive && call === undefined && chat === undefined) throw agentNotLive()
  return { widgetId, credential, call, chat, context }
}

/** @throws {ApiError} expired_credential if the attempt has ended */
async function findTokenCall(lookups: SessionLookups, { attemptId }: RuntimeCredential) {
  if (attemptId === undefined) return undefined
  const call = await lookups.findCurrentCall(attemptId)
  if (call === undefined) throw expiredAttemptToken()
  return call
}

/** @throws {ApiError} expired_credential if the chat has ended */
async function findTokenChat(lookups: SessionLookups, { conversationId }: RuntimeCredential) {
  if (conversationId === undefined) return undefined
  const chat = await lookups.findCurrentChat(conversationId)
  if (chat === undefined) throw expiredConversationToken()
  return chat
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

/** Returns the call that a request names. Undefined if the request doesn't name one. */
async function findRequestedCall(
  lookups: SessionLookups,
  value: string | null,
  widgetId: string,
): Promise<LiveCall | undefined> {
  if (value === null || value === '') return undefined
  const attemptId = Uuid.safeParse(value).data
  const call = attemptId === undefined ? undefined : await lookups.findCall(attemptId)
  if (call?.widgetId !== widgetId) throw callNotFound()
  return call
}

const callNotFound = () =>
  new ToolServerError('not_found', { details: [fieldIssue('call_id', 'not_found.call_id')] })

const agentNotFound = () =>
  new ToolServerError('not_found', { details: [fieldIssue('widget_id', 'not_found.widget_id')] })

const agentNotLive = () => new ToolServerError('agent_not_live.session')

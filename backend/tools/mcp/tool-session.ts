import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { toErrorMessage, toolResultTexts } from '@outdial/contract'
import type { RuntimeCredential } from '../../platform/secrets/verify-runtime-credential.ts'
import {
  failedResult,
  type LiveCall,
  type LiveChat,
  type ToolConversation,
  type ToolResult,
} from '../kinds/tool-kind.ts'
import type { ToolCallRequest } from './call-tool.ts'
import { InFlightRequest, type InFlightRequests } from './in-flight-requests.ts'
import {
  connectionClosed,
  errorResponse,
  findParamsIssue,
  initializeResult,
  internalError,
  invalidParams,
  isKnownMethod,
  isTaskRequest,
  methodNotFound,
  parseToolCall,
  resultResponse,
  type ToolCallParams,
} from './mcp-messages.ts'
import { hasSameTools, type SessionContext, type ToolList } from './session-context.ts'
import type { ToolTransport } from './tool-transport.ts'

/** Dependencies that all sessions of a tool server share. */
export interface SessionHost {
  callTool(request: ToolCallRequest): Promise<ToolResult>
  /** Returns an agent's current context, or undefined if the agent no longer exists. */
  findContext(widgetId: string): Promise<SessionContext | undefined>
  /** Returns the call of an attempt, or undefined if the attempt has ended. Never outdated. */
  findCurrentCall(attemptId: string): Promise<LiveCall | undefined>
  /** Returns a chat, or undefined if it's over. Never outdated. */
  findCurrentChat(conversationId: string): Promise<LiveChat | undefined>
  now(): number
  onError(error: unknown): void
  /** The requests of all sessions. */
  inFlightRequests: InFlightRequests
  onClosed(session: ToolSession): void
}

/** The client, agent, and conversation of a session. */
interface SessionDetails extends ToolConversation {
  id: string
  widgetId: string
  credential: RuntimeCredential
  context: SessionContext
}

/** Why the server ends a session. */
type EndReason = 'call_ended' | 'chat_ended' | 'agent_deleted' | 'session_ended'

/** Maximum requests in progress in one session. */
const maxInFlightRequests = 100

/** One client's session. Handles the client's messages over any transport. */
export class ToolSession {
  readonly id: string
  readonly widgetId: string
  readonly credential: RuntimeCredential
  readonly conversation: ToolConversation
  readonly transport: ToolTransport
  #context: SessionContext
  readonly #host: SessionHost
  #inFlightCount = 0
  #isClosed = false

  constructor(host: SessionHost, details: SessionDetails, transport: ToolTransport) {
    this.#host = host
    this.id = details.id
    this.widgetId = details.widgetId
    this.credential = details.credential
    this.conversation = { call: details.call, chat: details.chat }
    this.#context = details.context
    this.transport = transport
    transport.onmessage = (message) => this.receive(message)
    transport.onclose = () => this.#handleClose()
  }

  get context(): SessionContext {
    return this.#context
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  receive(message: JSONRPCMessage): void {
    if (!('method' in message)) return // a response, which can be ignored because this server sends no requests
    if ('id' in message) this.#handleRequest(message)
    else if (message.method === 'notifications/cancelled') this.#cancel(message.params?.requestId)
  }

  notifyListChanged(): void {
    this.transport.send({ method: 'notifications/tools/list_changed', jsonrpc: '2.0' })
  }

  /** Ends the session. Its requests in progress get an error first, because their clients wait for a response. */
  close(reason: EndReason = 'session_ended'): void {
    const message = toErrorMessage(toolResultTexts[reason])
    for (const { id } of this.#host.inFlightRequests.filter(
      (call) => call.session === this && !call.wasCanceled(),
    ))
      this.#send(errorResponse(id, connectionClosed, message))
    this.transport.close()
  }

  #handleRequest(request: JSONRPCRequest): void {
    const { id, method } = request
    if (!isKnownMethod(method)) {
      this.#send(errorResponse(id, methodNotFound, 'Method not found'))
      return
    }
    if (isTaskRequest(request)) {
      const message = `Server does not support task creation (required for ${method})`
      this.#send(errorResponse(id, internalError, message))
      return
    }
    if (method === 'tools/call') {
      this.#handleToolCall(request)
      return
    }
    const issue = findParamsIssue(request)
    if (issue !== undefined) {
      this.#send(errorResponse(id, invalidParams, issue))
      return
    }
    if (method === 'tools/list') {
      const list = (context: SessionContext) => ({ tools: this.#getTools(context).definitions })
      void this.#respond(request, async (context) => resultResponse(id, list(context)))
      return
    }
    this.#send(resultResponse(id, method === 'initialize' ? initializeResult(request) : {}))
  }

  #handleToolCall(request: JSONRPCRequest): void {
    const { id } = request
    const params = parseToolCall(request)
    if (typeof params === 'string') this.#send(errorResponse(id, invalidParams, params))
    else void this.#respond(request, (...args) => this.#callTool(params, ...args))
  }

  /** Responds to a request that needs the agent's tools, unless the client cancels it. */
  async #respond(
    request: JSONRPCRequest,
    handle: (context: SessionContext, inFlightRequest: InFlightRequest) => Promise<JSONRPCMessage>,
  ): Promise<void> {
    const { id } = request
    if (this.#inFlightCount >= maxInFlightRequests) {
      this.#send(failedResponse(request, failedResult('too_many_calls', { limit: maxInFlightRequests })))
      return
    }
    const inFlightRequest = new InFlightRequest(this, id, this.#host.now())
    this.#inFlightCount += 1
    this.#host.inFlightRequests.add(inFlightRequest)
    try {
      const context = await this.#loadContext()
      if (typeof context === 'string') {
        this.close(context)
        return
      }
      const response = inFlightRequest.wasCanceled() ? undefined : await handle(context, inFlightRequest)
      if (response === undefined || inFlightRequest.wasCanceled()) this.transport.dropRequest(id)
      else this.#send(response)
    } catch (error) {
      this.#host.onError(error)
      this.#send(failedResponse(request, failedResult('all_unavailable')))
    } finally {
      this.#host.inFlightRequests.delete(inFlightRequest)
      this.#inFlightCount -= 1
    }
  }

  async #callTool(
    { name, args }: ToolCallParams,
    context: SessionContext,
    inFlightRequest: InFlightRequest,
  ): Promise<JSONRPCMessage> {
    const { id } = inFlightRequest
    const tool = this.#getTools(context).tools.get(name)
    if (tool === undefined) return errorResponse(id, invalidParams, `Unknown tool: ${name.slice(0, 100)}`)
    const { agentId } = context
    const request = { ...this.conversation, tool, agentId, args, inFlightRequest }
    return toolResponse(id, await this.#host.callTool(request))
  }

  /**
   * Returns the context, or why the session must end. Reads the context again if this process was notified of a change, and when
   * the context expires, because notifications from other processes may not arrive.
   */
  async #loadContext(): Promise<SessionContext | EndReason> {
    if (await this.#hasCallEnded()) return 'call_ended'
    if (await this.#hasChatEnded()) return 'chat_ended'
    const previous = this.#context
    if (previous.isCurrent && this.#host.now() < previous.freshUntil) return previous
    const context = await this.#host.findContext(this.widgetId)
    if (context === undefined) return 'agent_deleted'
    const isSame = hasSameTools(this.#getTools(this.#context), this.#getTools(context))
    const hasChanged = this.#context.isCurrent && !isSame
    this.#context = context
    if (hasChanged) this.notifyListChanged()
    return context
  }

  async #hasCallEnded(): Promise<boolean> {
    const { call } = this.conversation
    return call !== undefined && (await this.#host.findCurrentCall(call.attemptId)) === undefined
  }

  async #hasChatEnded(): Promise<boolean> {
    const { chat } = this.conversation
    return chat !== undefined && (await this.#host.findCurrentChat(chat.conversationId)) === undefined
  }

  #getTools(context: SessionContext): ToolList {
    const { call, chat } = this.conversation
    return call === undefined && chat === undefined ? context.outsideConversations : context.inConversations
  }

  #cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return
    this.#host.inFlightRequests.abort('canceled', (request) => request.session === this && request.id === id)
  }

  #send(message: JSONRPCMessage): void {
    if (!this.#isClosed) this.transport.send(message)
  }

  #handleClose(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#host.inFlightRequests.abort('canceled', ({ session }) => session === this)
    this.#host.onClosed(this)
  }
}

/**
 * Returns a failed result for a tool call, and an error for other methods, whose results can't say that they failed.
 */
const failedResponse = ({ id, method }: JSONRPCRequest, result: ToolResult): JSONRPCMessage =>
  method === 'tools/call' ? toolResponse(id, result) : errorResponse(id, internalError, result.text)

const toolResponse = (id: RequestId, { text, isError }: ToolResult): JSONRPCMessage =>
  resultResponse(id, { content: [{ type: 'text', text }], ...(isError && { isError }) })

import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { toErrorMessage, toolResultTexts } from '@outdial/contract'
import type { RuntimeCredential } from '../secrets/verify-runtime-credential.ts'
import { failedResult, type LiveCall, type ToolResult } from '../tools/kinds/tool-kind.ts'
import type { ToolCallRequest } from './call-tool.ts'
import { InFlightCall, type InFlightCalls } from './in-flight-calls.ts'
import {
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
  /** Returns the call of an attempt, or undefined if the attempt has ended. */
  findTokenCall(attemptId: string): Promise<LiveCall | undefined>
  now(): number
  onError(error: unknown): void
  /** The calls of all sessions. */
  inFlightCalls: InFlightCalls
  onClosed(session: ToolSession): void
}

/** The client, agent, and call of a session. */
interface SessionDetails {
  id: string
  widgetId: string
  credential: RuntimeCredential
  call: LiveCall | undefined
  context: SessionContext
}

/** Per session. */
const maxInFlightCalls = 100

/** One client's session. Handles the client's messages over any transport. */
export class ToolSession {
  readonly id: string
  readonly widgetId: string
  readonly credential: RuntimeCredential
  readonly call: LiveCall | undefined
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
    this.call = details.call
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

  close(): void {
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
    if (method === 'tools/call') return void this.#handleToolCall(request)
    const issue = findParamsIssue(request)
    if (issue !== undefined) {
      this.#send(errorResponse(id, invalidParams, issue))
      return
    }
    if (method === 'tools/list') return void this.#handleToolList(request)
    this.#send(resultResponse(id, method === 'initialize' ? initializeResult(request) : {}))
  }

  async #handleToolList({ id }: JSONRPCRequest): Promise<void> {
    try {
      const context = await this.#loadContext()
      if (context !== undefined)
        this.#send(resultResponse(id, { tools: this.#getTools(context).definitions }))
    } catch {
      const message = toErrorMessage(toolResultTexts.not_listed)
      this.#send(errorResponse(id, internalError, message))
    }
  }

  async #handleToolCall(request: JSONRPCRequest): Promise<void> {
    const { id } = request
    const params = parseToolCall(request)
    if (typeof params === 'string') {
      this.#send(errorResponse(id, invalidParams, params))
      return
    }
    if (this.#inFlightCount >= maxInFlightCalls) {
      this.#send(toolResponse(id, failedResult('too_many_calls', { limit: maxInFlightCalls })))
      return
    }
    const inFlightCall = new InFlightCall(this, id, this.#host.now())
    this.#inFlightCount += 1
    this.#host.inFlightCalls.add(inFlightCall)
    try {
      const response = await this.#callTool(params, inFlightCall)
      if (response === undefined) this.transport.dropRequest(id)
      else this.#send(response)
    } catch (error) {
      this.#host.onError(error)
      this.#send(toolResponse(id, failedResult('all_unavailable')))
    } finally {
      this.#host.inFlightCalls.delete(inFlightCall)
      this.#inFlightCount -= 1
    }
  }

  /** Returns undefined if there's no response because the call was canceled or the agent no longer exists. */
  async #callTool(
    { name, args }: ToolCallParams,
    inFlightCall: InFlightCall,
  ): Promise<JSONRPCMessage | undefined> {
    const { id } = inFlightCall
    const context = await this.#loadContext()
    if (context === undefined || inFlightCall.wasCanceled()) return undefined
    const tool = this.#getTools(context).tools.get(name)
    if (tool === undefined) return errorResponse(id, invalidParams, `Unknown tool: ${name.slice(0, 100)}`)
    const { agentId } = context
    const result = await this.#host.callTool({ tool, agentId, args, call: this.call, inFlightCall })
    return inFlightCall.wasCanceled() ? undefined : toolResponse(id, result)
  }

  /**
   * Returns the context. Reads it again if it has changed or expired, because processes may not be able to notify each
   * other of changes. If the agent no longer exists, or the attempt of the session's token has ended, closes the
   * session and returns undefined.
   */
  async #loadContext(): Promise<SessionContext | undefined> {
    const { attemptId } = this.credential
    if (attemptId !== undefined && (await this.#host.findTokenCall(attemptId)) === undefined) {
      this.close()
      return undefined
    }
    const previous = this.#context
    if (previous.isCurrent && this.#host.now() < previous.freshUntil) return previous
    const context = await this.#host.findContext(this.widgetId)
    if (context === undefined) {
      this.close()
      return undefined
    }
    const isSame = hasSameTools(this.#getTools(this.#context), this.#getTools(context))
    const hasChanged = this.#context.isCurrent && !isSame
    this.#context = context
    if (hasChanged) this.notifyListChanged()
    return context
  }

  #getTools(context: SessionContext): ToolList {
    return this.call === undefined ? context.outsideCalls : context.inCalls
  }

  #cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return
    this.#host.inFlightCalls.abort('canceled', (call) => call.session === this && call.id === id)
  }

  #send(message: JSONRPCMessage): void {
    if (!this.#isClosed) this.transport.send(message)
  }

  #handleClose(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#host.inFlightCalls.abort('canceled', ({ session }) => session === this)
    this.#host.onClosed(this)
  }
}

const toolResponse = (id: RequestId, { text, isError }: ToolResult): JSONRPCMessage =>
  resultResponse(id, { content: [{ type: 'text', text }], ...(isError && { isError }) })

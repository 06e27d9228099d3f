import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { RuntimeSecret } from '../secrets/verify-runtime-secret.ts'
import type { LiveCall, ToolResult } from '../tools/kinds/tool-kind.ts'
import type { ToolCallRequest } from './call-tool.ts'
import { InFlightCall, type InFlightCalls } from './in-flight-calls.ts'
import {
  errorJson,
  findParamsIssue,
  internalError,
  invalidParams,
  listChangedJson,
  parseToolCall,
  requestsTask,
  resultJson,
} from './mcp-messages.ts'
import { findCachedResponse, forwardToSdkServer } from './sdk-server.ts'
import type { SessionContext } from './session-context.ts'
import type { ToolTransport } from './tool-transport.ts'

/** What all sessions of a tool server share. */
export interface SessionHost {
  callTool(request: ToolCallRequest): Promise<ToolResult>
  /** The context of a widget as it is now; undefined where its agent is gone. */
  findContext(widgetId: string): Promise<SessionContext | undefined>
  now(): number
  onError(error: unknown): void
  /** Calls under way, of all sessions. */
  inFlightCalls: InFlightCalls
  onClosed(session: ToolSession): void
}

/** Who opened a session, for which agent and call. */
export interface SessionDetails {
  id: string
  widgetId: string
  secret: RuntimeSecret
  call: LiveCall | undefined
  context: SessionContext
}

/** Calls that one session may have under way. */
const maxInFlightCalls = 100

/** One client's session: answers its messages from the agent's context, whatever transport they come by. */
export class ToolSession {
  readonly id: string
  readonly widgetId: string
  readonly secret: RuntimeSecret
  readonly call: LiveCall | undefined
  readonly transport: ToolTransport
  #context: SessionContext
  readonly #host: SessionHost
  /** Calls under way. */
  #inFlightCount = 0
  #isClosed = false

  constructor(host: SessionHost, details: SessionDetails, transport: ToolTransport) {
    this.#host = host
    this.id = details.id
    this.widgetId = details.widgetId
    this.secret = details.secret
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
    if (!('method' in message)) return // an answer to what nobody asked
    if (!('id' in message)) {
      if (message.method === 'notifications/cancelled') this.#cancel(message.params?.requestId)
      return
    }
    if (message.method === 'tools/call') this.#call(message)
    else if (message.method === 'tools/list') this.#list(message)
    else this.#forward(message)
  }

  notifyListChanged(): void {
    this.transport.write(listChangedJson)
  }

  close(): void {
    void this.transport.close()
  }

  #list(request: JSONRPCRequest): void {
    const { id } = request
    if (requestsTask(request)) return this.#rejectTask(request)
    const issue = findParamsIssue(request)
    if (issue !== undefined) return this.#sendError(id, invalidParams, issue)
    if (this.#isFresh(this.#host.now())) return this.#write(resultJson(id, this.#context.listJson), id)
    this.#refreshContext().then(
      (agentExists) => agentExists && this.#write(resultJson(id, this.#context.listJson), id),
      () =>
        this.#sendError(id, internalError, 'The tools cannot be listed at the moment: try again shortly.'),
    )
  }

  #call(request: JSONRPCRequest): void {
    const { id } = request
    if (requestsTask(request)) return this.#rejectTask(request)
    const params = parseToolCall(request)
    if (typeof params === 'string') return this.#sendError(id, invalidParams, params)
    if (this.#inFlightCount >= maxInFlightCalls) {
      return this.#sendResult(id, {
        text: `At most ${maxInFlightCalls} tools can be used at once: wait.`,
        isError: true,
      })
    }
    const inFlightCall = new InFlightCall(this, id, this.#host.now())
    this.#inFlightCount += 1
    this.#host.inFlightCalls.add(inFlightCall)
    void this.#runCall(params, inFlightCall)
  }

  async #runCall(
    { name, args }: { name: string; args: Record<string, unknown> },
    inFlightCall: InFlightCall,
  ) {
    const { id } = inFlightCall
    try {
      if (!this.#isFresh(inFlightCall.startedAt)) {
        if (!(await this.#refreshContext())) return
        if (inFlightCall.isCanceled) return this.transport.dropRequest(id)
      }
      const tool = this.#context.tools.get(name)
      if (tool === undefined) {
        return this.#sendError(id, invalidParams, `Unknown tool: ${name.slice(0, 100)}`)
      }
      const { agentId } = this.#context
      const result = await this.#host.callTool({ tool, agentId, args, call: this.call, inFlightCall })
      if (inFlightCall.isCanceled) this.transport.dropRequest(id)
      else this.#sendResult(id, result)
    } catch (error) {
      this.#host.onError(error)
      this.#sendResult(id, {
        text: 'The tools are away for a moment: try once more, or go on without.',
        isError: true,
      })
    } finally {
      this.#host.inFlightCalls.delete(inFlightCall)
      this.#inFlightCount -= 1
    }
  }

  #forward(request: JSONRPCRequest): void {
    const cached = findCachedResponse(request)
    if (cached !== undefined) return this.#write(cached, request.id)
    const issue = requestsTask(request) ? undefined : findParamsIssue(request)
    if (issue !== undefined) return this.#sendError(request.id, invalidParams, issue)
    forwardToSdkServer(request, (result) => this.#write(JSON.stringify(result), request.id))
  }

  /** What another process changed is not told to this one. */
  #isFresh(now: number): boolean {
    return this.#context.isCurrent && now < this.#context.freshUntil
  }

  /** False where the agent is gone, and the session with it. */
  async #refreshContext(): Promise<boolean> {
    const context = await this.#host.findContext(this.widgetId)
    if (context === undefined) {
      this.close()
      return false
    }
    const hasChanged = this.#context.isCurrent && this.#context.listJson !== context.listJson
    this.#context = context
    if (hasChanged) this.notifyListChanged()
    return true
  }

  #cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return
    this.#host.inFlightCalls.abort(
      'canceled',
      (inFlightCall) => inFlightCall.session === this && inFlightCall.id === id,
    )
  }

  #sendResult(id: RequestId, { text, isError }: ToolResult): void {
    const content = `{"content":[{"type":"text","text":${JSON.stringify(text)}}]${isError ? ',"isError":true' : ''}}`
    this.#write(resultJson(id, content), id)
  }

  #sendError(id: RequestId, code: number, message: string): void {
    this.#write(errorJson(id, code, message), id)
  }

  #rejectTask({ id, method }: JSONRPCRequest): void {
    this.#sendError(id, internalError, `Server does not support task creation (required for ${method})`)
  }

  #write(json: string, id: RequestId): void {
    if (!this.#isClosed) this.transport.write(json, id)
  }

  #handleClose(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.#inFlightCount > 0) this.#host.inFlightCalls.abort('canceled', ({ session }) => session === this)
    this.#host.onClosed(this)
  }
}

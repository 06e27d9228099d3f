import { LRUCache } from 'lru-cache'
import type { AuthorizedClient } from './authorize-session.ts'
import type { SessionReply, SessionRequest } from './remote-sessions.ts'
import type { SessionContext } from './session-context.ts'
import { ToolServerError } from './tool-server-error.ts'
import type { ToolSession } from './tool-session.ts'
import type { ToolTransport, TransportRequest } from './tool-transport.ts'

/**
 * How many ended sessions are remembered, so that they can't continue again. Counts only sessions that other processes opened.
 */
const maxEndedForeign = 10_000

/** The open sessions of this process. */
export class SessionRegistry {
  readonly #maxPerWidget: number
  readonly #maxSessions: number
  readonly #byId = new Map<string, ToolSession>()
  readonly #counts = new Map<string, number>()
  readonly #endedForeign = new LRUCache<string, true>({ max: maxEndedForeign })

  /**
   * @param maxPerWidget how many sessions one agent can have open, so that a runtime that never closes its sessions
   *   can't use up the memory
   * @param maxSessions how many sessions all agents together can have open
   */
  constructor(maxPerWidget: number, maxSessions: number) {
    this.#maxSessions = maxSessions
    this.#maxPerWidget = maxPerWidget
  }

  get size(): number {
    return this.#byId.size
  }

  /** @throws {ToolServerError} too_many_sessions */
  requireCapacity(widgetId: string): void {
    const headers = { 'Retry-After': '5' }
    if (this.#byId.size >= this.#maxSessions)
      throw new ToolServerError('too_many_sessions.all', { values: { count: this.#maxSessions }, headers })
    if ((this.#counts.get(widgetId) ?? 0) < this.#maxPerWidget) return
    throw new ToolServerError('too_many_sessions', { values: { count: this.#maxPerWidget }, headers })
  }

  add(session: ToolSession): void {
    this.#byId.set(session.id, session)
    this.#counts.set(session.widgetId, (this.#counts.get(session.widgetId) ?? 0) + 1)
  }

  /** @param options.isForeign true if another process opened the session. The registry then remembers that it ended. */
  remove({ id, widgetId }: ToolSession, { isForeign = false } = {}): void {
    if (!this.#byId.delete(id)) return
    if (isForeign) this.#endedForeign.set(id, true)
    const remaining = (this.#counts.get(widgetId) ?? 1) - 1
    if (remaining > 0) this.#counts.set(widgetId, remaining)
    else this.#counts.delete(widgetId)
  }

  get(id: string): ToolSession | undefined {
    return this.#byId.get(id)
  }

  /** Returns whether a session that another process opened has ended in this process. */
  hasEndedForeign(id: string): boolean {
    return this.#endedForeign.has(id)
  }

  /** Returns the matching sessions in a new array, which doesn't change when they're closed. */
  filter(predicate: (session: ToolSession) => boolean): ToolSession[] {
    return [...this.#byId.values()].filter(predicate)
  }

  filterByContext(predicate: (context: SessionContext) => boolean): ToolSession[] {
    return this.filter(({ context }) => predicate(context))
  }
}

/** Authorizes clients, and opens and finds their sessions, for any transport. */
export interface ToolSessions {
  authorize(request: TransportRequest): Promise<AuthorizedClient>
  open(client: AuthorizedClient, id: string, transport: ToolTransport): ToolSession
  find(id: string): ToolSession | undefined
  createId(): string
  /** Returns true if this process handles the session's requests. Otherwise, they must be forwarded. */
  isOwn(id: string): boolean
  /** Returns whether a session that another process opened can continue in this process once the other process is gone. */
  canContinue(id: string): boolean
  /** Sends a request to the process that has the session. */
  forward(request: SessionRequest): Promise<SessionReply>
}

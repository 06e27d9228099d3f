import type { SessionContext } from './session-context.ts'
import { Refusal } from './tool-server-error.ts'
import type { Session } from './tool-session.ts'

/** The open sessions of this process. */
export class Sessions {
  readonly #perWidget: number
  readonly #byId = new Map<string, Session>()
  readonly #counts = new Map<string, number>()

  /** `perWidget`: how many one agent may have, so that a runtime that forgets to close does not fill the memory. */
  constructor(perWidget: number) {
    this.#perWidget = perWidget
  }

  get size(): number {
    return this.#byId.size
  }

  /** @throws {Refusal} too_many_sessions */
  requireRoom(widgetId: string): void {
    if ((this.#counts.get(widgetId) ?? 0) < this.#perWidget) return
    throw new Refusal(
      'too_many_sessions',
      `This agent has ${this.#perWidget} sessions open: close some first.`,
      { headers: { 'Retry-After': '5' } },
    )
  }

  add(session: Session): void {
    this.#byId.set(session.id, session)
    this.#counts.set(session.widgetId, (this.#counts.get(session.widgetId) ?? 0) + 1)
  }

  remove({ id, widgetId }: Session): void {
    if (!this.#byId.delete(id)) return
    const left = (this.#counts.get(widgetId) ?? 1) - 1
    if (left > 0) this.#counts.set(widgetId, left)
    else this.#counts.delete(widgetId)
  }

  get(id: string): Session | undefined {
    return this.#byId.get(id)
  }

  /** Those whose context the test names. The list stands still while they close. */
  where(test: (session: Session) => boolean): Session[] {
    return [...this.#byId.values()].filter(test)
  }

  ofContext(test: (context: SessionContext) => boolean): Session[] {
    return this.where(({ context }) => test(context))
  }
}

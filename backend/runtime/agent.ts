/** What an agent may want to do in a talk. Its texts may hold names in {{}}. */
export type Intent =
  | { does: 'look_up_contact' }
  | { does: 'search_knowledge'; query: string }
  | { does: 'take_note'; text: string }
  | { does: 'put_down'; row: string }
  | { does: 'call_back'; days: number; time: string }
  | { does: 'stop_calling' }

/** What came of it, as a transcript tells it. */
export interface ToolOutcome {
  text: string
  succeeded: boolean
}

/** The agent in one call, with its tools at hand. */
export interface ActiveAgent {
  /**
   * Does something, within the time that the agent has for it. Undefined where it has no tool for that, or has
   * given its tools up. Never rejects: whatever tools do, the talk goes on.
   */
  act(intent: Intent): Promise<ToolOutcome | undefined>
  /** The talk is over. */
  leave(): Promise<void>
}

/** Who talks on the simulated line. */
export interface SimulatedAgent {
  /**
   * Joins a call that has just been answered; returns at once.
   *
   * @param conversation `signal` aborts at the hang-up; `fill` fills the names in a text
   */
  join(
    call: { widgetId: string; attemptId: string },
    conversation: { signal: AbortSignal; fill: (text: string) => string; now: () => Date },
  ): ActiveAgent
}

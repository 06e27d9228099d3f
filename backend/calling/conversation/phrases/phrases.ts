/**
 * The sentences that the conversation itself says, without the model. Of the built-in ones, only the greeting has placeholders.
 */
export interface Phrases {
  aiDisclosure: string
  /** Greets for an agent without a greeting. */
  defaultGreeting: string
  /** Bridges the time while a tool runs. */
  toolFiller: string
  /** Bridges the time until the model's first word. */
  thinkingFiller: string
  /** Asks a silent contact if they're still there. */
  silenceQuestion: string
  /** Ends the call after more silence. */
  silenceGoodbye: string
  notUnderstood: string
  /** Confirms that the contact won't be called again, and ends the call. */
  optedOut: string
  /** Ends the call at its limits if the agent has no closing line. */
  timeUp: string
  /** Ends the call if no model answers, or if a call control fails. */
  technicalTrouble: string
  /** Says goodbye if the agent ends the call without a word. */
  goodbye: string
}

export type PhraseName = keyof Phrases

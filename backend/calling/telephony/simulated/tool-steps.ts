import { Temporal } from 'temporal-polyfill'
import type { InputSchema } from '../tool-client.ts'

/** One tool call, and how the transcript describes it. */
export interface ToolStep {
  tool: string
  /** All arguments that the agent can provide. A tool gets the ones in its schema. */
  args: Record<string, unknown>
  /** The text of a success, for example "Searched the knowledge base: price". */
  successText: string
  /** Follows "Couldn't", for example "search the knowledge base". */
  actionPhrase: string
}

/**
 * Returns the tool call for an intent. The simulated agent finds built-in tools by their default names. A runtime with
 * a language model chooses tools by their descriptions instead.
 */
export function toToolStep(
  intent: Intent,
  conversation: { fill: (text: string) => string; now: () => Date; timeZone: string },
): ToolStep {
  const { fill } = conversation
  switch (intent.action) {
    case 'look_up_contact':
      return {
        tool: 'contact_lookup',
        args: {},
        successText: 'Looked up the contact',
        actionPhrase: 'look up the contact',
      }
    case 'search_knowledge': {
      const query = fill(intent.query)
      return {
        tool: 'knowledge_search',
        args: { query },
        successText: `Searched the knowledge base: ${query}`,
        actionPhrase: 'search the knowledge base',
      }
    }
    case 'take_note': {
      const text = fill(intent.text)
      return {
        tool: 'contact_note',
        args: { text },
        successText: 'Saved a note',
        actionPhrase: 'save a note',
      }
    }
    case 'append_row': {
      const values = { name: fill('{{name}}'), result: fill(intent.row) }
      return {
        tool: 'spreadsheet_append',
        args: { values },
        successText: 'Added a row to the spreadsheet',
        actionPhrase: 'add a row to the spreadsheet',
      }
    }
    case 'schedule_callback': {
      const at = `${dateInDays(intent.days, conversation)}T${intent.time}`
      return {
        tool: 'schedule_callback',
        args: { at },
        successText: 'Scheduled a callback',
        actionPhrase: 'schedule a callback',
      }
    }
    case 'add_to_do_not_call':
      return {
        tool: 'do_not_call',
        args: {},
        successText: 'Added the number to the do-not-call list',
        actionPhrase: 'add the number to the do-not-call list',
      }
  }
}

/** Returns the date in `days` days, in the contact's time zone. In the contact's evening, UTC can already have the next day. */
const dateInDays = (days: number, { now, timeZone }: { now: () => Date; timeZone: string }): string =>
  Temporal.Instant.fromEpochMilliseconds(now().getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .add({ days })
    .toString()

/** Returns the time zone from a result of `contact_lookup`, for example `… at 9:30 AM (America/New_York)`. */
export const parseTimeZone = (lookup: string): string | undefined =>
  /^Local time: .* \((\S+)\)$/m.exec(lookup)?.[1]

/** A use of a tool that an agent can attempt in a conversation. The texts can contain placeholders in {{}}. */
export type Intent =
  | { action: 'look_up_contact' }
  | { action: 'search_knowledge'; query: string }
  | { action: 'take_note'; text: string }
  | { action: 'append_row'; row: string }
  | { action: 'schedule_callback'; days: number; time: string }
  | { action: 'add_to_do_not_call' }

/** Returns the arguments that are in a tool's schema. Undefined if a required one isn't available. */
export function pickArguments(
  { properties, required = [] }: InputSchema,
  available: Record<string, unknown>,
): Record<string, unknown> | undefined {
  if (!required.every((name) => Object.hasOwn(available, name))) return undefined
  if (properties === undefined) return available
  return Object.fromEntries(Object.entries(available).filter(([name]) => Object.hasOwn(properties, name)))
}

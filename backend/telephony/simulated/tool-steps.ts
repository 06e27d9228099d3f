import { Temporal } from 'temporal-polyfill'
import type { InputSchema } from '../tool-session.ts'

/** One use of a tool, and how a transcript tells of it. */
export interface ToolStep {
  tool: string
  /** What there is to say; a tool is given that which it asks for. */
  args: Record<string, unknown>
  /** "Searched the knowledge base for …", when it went well. */
  successText: string
  /** "search the knowledge base", when it did not. */
  failureText: string
}

/**
 * How an agent does what it wants: with the tools that the service brings, whose names are theirs by default. A
 * runtime with a language model chooses by descriptions; this one is told.
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
        successText: 'Looked the contact up',
        failureText: 'look the contact up',
      }
    case 'search_knowledge': {
      const query = fill(intent.query)
      return {
        tool: 'knowledge_search',
        args: { query },
        successText: `Searched the knowledge base for “${query}”`,
        failureText: `search the knowledge base for “${query}”`,
      }
    }
    case 'take_note': {
      const text = fill(intent.text)
      return {
        tool: 'contact_note',
        args: { text },
        successText: `Noted “${text}”`,
        failureText: 'take a note',
      }
    }
    case 'append_row': {
      const values = { name: fill('{{name}}'), result: fill(intent.row) }
      return {
        tool: 'spreadsheet_append',
        args: { values },
        successText: 'Added a row to the spreadsheet',
        failureText: 'add a row to the spreadsheet',
      }
    }
    case 'schedule_callback': {
      const at = `${dateInDays(intent.days, conversation)}T${intent.time}`
      return {
        tool: 'schedule_callback',
        args: { at },
        successText: `Scheduled a call-back for ${at.replace('T', ', ')}`,
        failureText: 'schedule a call-back',
      }
    }
    case 'add_to_do_not_call':
      return {
        tool: 'do_not_call',
        args: {},
        successText: 'Put the number on the do-not-call list',
        failureText: 'put the number on the do-not-call list',
      }
  }
}

/** Where the contact is: in their evening, the day after the one of UTC is not tomorrow. */
const dateInDays = (days: number, { now, timeZone }: { now: () => Date; timeZone: string }): string =>
  Temporal.Instant.fromEpochMilliseconds(now().getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .add({ days })
    .toString()

/** The zone that `contact_lookup` tells with the local time, for example `… at 9:30 AM (America/New_York)`. */
export const parseTimeZone = (lookup: string): string | undefined =>
  /^Local time: .* \((\S+)\)$/m.exec(lookup)?.[1]

/** What an agent may want to do in a talk. Its texts may hold names in {{}}. */
export type Intent =
  | { action: 'look_up_contact' }
  | { action: 'search_knowledge'; query: string }
  | { action: 'take_note'; text: string }
  | { action: 'append_row'; row: string }
  | { action: 'schedule_callback'; days: number; time: string }
  | { action: 'add_to_do_not_call' }

/** Of what an agent has to say, that which a tool asks for. Undefined where the tool must have more. */
export function pickArguments(
  { properties, required = [] }: InputSchema,
  available: Record<string, unknown>,
): Record<string, unknown> | undefined {
  if (!required.every((name) => Object.hasOwn(available, name))) return undefined
  if (properties === undefined) return available
  return Object.fromEntries(Object.entries(available).filter(([name]) => Object.hasOwn(properties, name)))
}

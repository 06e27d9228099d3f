import type { Intent } from './agent.ts'

/** One use of a tool, and how a transcript tells of it. */
export interface Move {
  tool: string
  /** What there is to say; a tool is given that which it asks for. */
  args: Record<string, unknown>
  /** "Searched the knowledge base for …", when it went well. */
  did: string
  /** "search the knowledge base", when it did not. */
  tried: string
}

/**
 * How an agent does what it wants: with the tools that the service brings, whose names are theirs by default. A
 * runtime with a language model chooses by descriptions; this one is told.
 */
export function moveFor(intent: Intent, talk: { fill: (text: string) => string; now: () => Date }): Move {
  const { fill } = talk
  switch (intent.does) {
    case 'look_up_contact':
      return { tool: 'contact_lookup', args: {}, did: 'Looked the contact up', tried: 'look the contact up' }
    case 'search_knowledge': {
      const query = fill(intent.query)
      return {
        tool: 'knowledge_search',
        args: { query },
        did: `Searched the knowledge base for “${query}”`,
        tried: `search the knowledge base for “${query}”`,
      }
    }
    case 'take_note': {
      const text = fill(intent.text)
      return { tool: 'contact_note', args: { text }, did: `Noted “${text}”`, tried: 'take a note' }
    }
    case 'put_down': {
      const values = { name: fill('{{name}}'), result: fill(intent.row) }
      return {
        tool: 'spreadsheet_append',
        args: { values },
        did: 'Added a row to the spreadsheet',
        tried: 'add a row to the spreadsheet',
      }
    }
    case 'call_back': {
      const at = `${dateIn(intent.days, talk.now())}T${intent.time}`
      return {
        tool: 'schedule_callback',
        args: { at },
        did: `Scheduled a call-back for ${at.replace('T', ', ')}`,
        tried: 'schedule a call-back',
      }
    }
    case 'stop_calling':
      return {
        tool: 'do_not_call',
        args: {},
        did: 'Put the number on the do-not-call list',
        tried: 'put the number on the do-not-call list',
      }
  }
}

const dateIn = (days: number, now: Date): string =>
  new Date(now.getTime() + days * 24 * 3_600_000).toISOString().slice(0, 10)

/** What every greeting may name besides the agent's own variables (calls/lines/fill.ts fills them in). */
const commonPlaceholders = new Map([
  ['first_name', 'the contact’s first name'],
  ['last_name', 'the contact’s last name'],
  ['name', 'the first name, else the last name, else “there”'],
  ['agent', 'the agent’s name'],
  ['campaign', 'the campaign’s name'],
  ['topic', 'the contact’s product or topic, else the campaign’s name'],
])

/** A name between double braces, and what is said in its place. */
export interface Placeholder {
  name: string
  meaning: string
  isKnown: boolean
}

/** The {{names}} of a greeting, each once, in their order. */
export function findPlaceholders(greeting: string, variables: readonly string[]): Placeholder[] {
  const names = [...greeting.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name)
  return [...new Set(names)].map((name) => {
    const isVariable = variables.includes(name)
    const meaning = isVariable ? 'the contact’s value of this variable' : commonPlaceholders.get(name)
    return {
      name,
      meaning: meaning ?? 'not among its variables: nobody who builds a Zap is told to send it',
      isKnown: meaning !== undefined,
    }
  })
}

/** Names as people list them: by commas, blanks or line breaks. */
export const splitNames = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean)

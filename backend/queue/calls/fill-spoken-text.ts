import { builtIns, type GreetingContact, replacePlaceholders, valueOf } from './greeting.ts'

/** The values that the placeholders of a spoken text can refer to. */
export interface CallValues {
  agentName: string
  /** Null for a conversation without a campaign. */
  campaignName: string | null
  /** Null for a conversation without a contact. */
  contact: GreetingContact | null
}

const noContact: GreetingContact = { first_name: null, last_name: null, variables: {} }

/** Returns what an agent calls itself: “Ava” for “Ava, scheduling”. */
export const toSpokenName = (agentName: string): string => agentName.split(',')[0]?.trim() || agentName

/** Returns what the agent says for the name in a placeholder. Blank if the name has no value. */
export function readCallValue(name: string, { agentName, campaignName, contact }: CallValues): string {
  if (name === 'agent') return toSpokenName(agentName)
  if (name === 'campaign') return campaignName ?? ''
  return valueOf(name, contact ?? noContact)
}

/**
 * Returns a greeting or closing line as the agent says it. A placeholder that has neither a value nor a fallback is left out of
 * its sentence, and braces are never said.
 */
export const fillSpokenText = (text: string, values: CallValues): string =>
  fillPlaceholders(text, (name) => readCallValue(name, values))

/**
 * Marks the place of a blank or unknown value until the text around it is tidied. Stored texts never contain this character,
 * because PostgreSQL can't store it.
 */
const blank = '\u0000'

/**
 * Replaces {{placeholders}}. Leaves out malformed placeholders, and those with neither a value nor a fallback, with the space
 * and comma that belong to them.
 */
export const fillPlaceholders = (text: string, read: (name: string) => string): string =>
  removeBlanks(
    replacePlaceholders(
      text,
      ({ name, fallback }) =>
        toSpokenValue(read(name)) || toSpokenValue(fallback ?? builtIns.get(name)?.otherwise ?? '') || blank,
      (malformed) => malformed.replace(/^\{+[^{}]*\}+$|^\{+\s*[\p{L}\p{N}_]*\s*\|?|^\}+$/u, blank),
    ),
  )

/** Returns a value as one line without braces. A value from a form can contain braces, but the agent must not say them. */
const toSpokenValue = (value: string): string =>
  value
    .replace(/[{}]+/g, '')
    .replace(/[\s\0]+/g, ' ')
    .trim()

const removeBlanks = (text: string): string =>
  text
    .replace(
      /(^\s*|[.!?]\s+)\0[\s.,;:!?\0]*(.?)/gu,
      (_, before: string, next: string) => before + next.toUpperCase(),
    )
    .replace(/(,?)([\s\0]+)(?=([^]?))/g, (all, comma: string, spaces: string, next: string) => {
      const end = spaces.lastIndexOf(blank)
      if (end === -1) return all
      const isBeforePause = next === '' || '.,;:!?'.includes(next)
      return (isBeforePause ? '' : comma) + spaces.slice(end + 1)
    })
    .trim()

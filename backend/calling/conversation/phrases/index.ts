import { getOwn, pick, toRecord } from '../../../platform/core/records.ts'
import type { AgentValues } from '../../../queue/agents/agent-values.ts'
import { type CallValues, fillSpokenText } from '../../../queue/calls/fill-spoken-text.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import type { PhraseName, Phrases } from './phrases.ts'

export type { PhraseName, Phrases } from './phrases.ts'

/** The sentences in each language that has all of them, by the first part of the language's BCP 47 tag. */
export const phrasesByLanguage: Readonly<Record<string, Phrases>> = { en, de, fr, es }

export const phraseNames = Object.keys(en) as PhraseName[]

/**
 * Returns the sentences in a language, and the names of those that had to be taken from English.
 *
 * @param language a BCP 47 tag. Only its first part is used: `de-AT` is `de`.
 * @param overrides sentences that replace the built-in ones, unless they're blank
 */
export function getPhrases(
  language: string,
  overrides: Readonly<Partial<Record<PhraseName, string>>> = {},
): { phrases: Phrases; missing: PhraseName[] } {
  const translated = getOwn(phrasesByLanguage, language.split('-')[0]?.toLowerCase() ?? '')
  const replaced = phraseNames.filter((name) => overrides[name]?.trim())
  const phrases = { ...(translated ?? en), ...pick(overrides, replaced) }
  const missing = translated === undefined ? phraseNames.filter((name) => !replaced.includes(name)) : []
  return { phrases, missing }
}

/** Fills in the placeholders of the sentences. Leaves out the greeting, because the conversation fills it in separately. */
export const fillPhrases = (phrases: Phrases, values: CallValues): Phrases =>
  toRecord(phraseNames, (name) =>
    name === 'defaultGreeting' ? phrases[name] : fillSpokenText(phrases[name], values),
  )

/** Lists the sentences that an agent says in English, because they exist neither in its language nor in its own settings. */
export function findMissingPhrases(agent: AgentValues): PhraseName[] {
  const isUsed = (name: PhraseName): boolean => {
    if (name === 'aiDisclosure') return agent.ai_disclosure
    if (name === 'defaultGreeting') return agent.greeting.trim() === ''
    if (name === 'goodbye' || name === 'timeUp') return agent.closing_line.trim() === ''
    return true
  }
  return getPhrases(agent.language, agent.phrases).missing.filter((name) => isUsed(name))
}

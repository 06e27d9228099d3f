import { getOwn, pick, toRecord } from '../../../platform/core/records.ts'
import type { AgentValues } from '../../../queue/agents/agent-values.ts'
import { type CallValues, fillSpokenText } from '../../../queue/calls/fill-spoken-text.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import type { PhraseName, Phrases } from './phrases.ts'

export type { PhraseName, Phrases } from './phrases.ts'

/** The languages that have all sentences, by the first part of their BCP 47 tags. */
export const phrasesByLanguage: Readonly<Record<string, Phrases>> = { en, de, fr, es }

export const phraseNames = Object.keys(en) as PhraseName[]

/**
 * Returns the sentences in a language, and the names of those that had to be taken from English.
 *
 * @param language a BCP 47 tag, of which the first part counts: `de-AT` is `de`
 * @param overrides sentences that replace ours. A blank one doesn't.
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

/** Fills in the placeholders of sentences, except of the greeting, which is filled in like an agent's own. */
export const fillPhrases = (phrases: Phrases, values: CallValues): Phrases =>
  toRecord(phraseNames, (name) =>
    name === 'defaultGreeting' ? phrases[name] : fillSpokenText(phrases[name], values),
  )

/** Lists the sentences that a chat with an agent says in English, because its language has none and nobody wrote them. */
export function findMissingPhrases(agent: AgentValues): PhraseName[] {
  const isUsed = (name: PhraseName): boolean => {
    if (name === 'aiDisclosure') return agent.ai_disclosure
    if (name === 'defaultGreeting') return agent.greeting.trim() === ''
    if (name === 'goodbye' || name === 'timeUp') return agent.closing_line.trim() === ''
    return true
  }
  return getPhrases(agent.language, agent.phrases).missing.filter((name) => isUsed(name))
}

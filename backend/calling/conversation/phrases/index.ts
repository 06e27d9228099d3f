import { getOwn, pick } from '../../../platform/core/records.ts'
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

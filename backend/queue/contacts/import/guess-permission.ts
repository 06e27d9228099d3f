// cspell:ignore unsubscri
import { isPlaceholder } from '@outdial/reading'
import {
  callDetailWord,
  callNoun,
  callPattern,
  callVerb,
  consentPattern,
  detailPattern,
  optOutPattern,
  optOutPhrase,
  otherChannelPattern,
  permissionWord,
  requestWord,
  statusNames,
} from './permission-words.ts'
import { readConsent, repeatsHeader } from './read-consent.ts'

/**
 * Guesses if a column says who must not be called or who agreed. `unclear` means that only a person can tell, because a wrong
 * guess would call someone who opted out.
 *
 * @param words the words of the header
 * @param values the first values of the column
 */
export function guessPermission(
  words: readonly string[],
  header: string,
  values: readonly string[],
): 'do not call' | 'unclear' | undefined {
  const key = words.join('')
  const isOptOut = optOutPattern.test(key) || optOutPhrase.test(words.join(' '))
  const namesCalls = callPattern.test(key)
  const namesOtherChannel = otherChannelPattern.test(key)
  if (namesOtherChannel && !namesCalls) return undefined
  // Statements of consent also say how to opt out.
  const mayBeConsent = consentPattern.test(key.replace('unsubscri', ''))
  const isClear = !mayBeConsent && !namesOtherChannel && !detailPattern.test(key)
  if (isOptOut && namesCalls && isClear) return 'do not call'
  if (isOptOut || statusNames.has(key) || consentPattern.test(key)) return 'unclear'
  return asksForPermission(words, header, values) ? 'unclear' : undefined
}

/** Judges headers that no pattern matches: by their words, and by values that are all yes or no. */
function asksForPermission(words: readonly string[], header: string, values: readonly string[]): boolean {
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word))
  const filled = values.filter((value) => !isPlaceholder(value))
  const areYesOrNo = filled.every((value) => readConsent(value) !== undefined || repeatsHeader(value, header))
  if (filled.length > 0 && areYesOrNo) return has(callVerb) || has(callNoun) || has(permissionWord)
  if (has(callDetailWord) || !has(callVerb)) return false
  return filled.length === 0 || ((has(permissionWord) || has(requestWord)) && !filled.some(isContactValue))
}

/** Returns true for a phone number, which no permission is. */
const isContactValue = (value: string): boolean => value.replace(/\D/g, '').length >= 7

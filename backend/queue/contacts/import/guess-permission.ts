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
 * Guesses if a column says who must not be called or who agreed. `unclear` means that the user must decide, because a wrong
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
  // Statements of consent also say how to opt out, so words for an opt-out alone don't make the meaning clear.
  const mayBeConsent = consentPattern.test(key.replace('unsubscri', ''))
  const isClear = !mayBeConsent && !namesOtherChannel && !detailPattern.test(key)
  if (isOptOut && namesCalls && isClear) return 'do not call'
  if (isOptOut || statusNames.has(key) || consentPattern.test(key)) return 'unclear'
  return asksForPermission(words, header, values) ? 'unclear' : undefined
}

/** Decides about a header that no pattern matches, by its words and by whether the column's values are all yes or no. */
function asksForPermission(words: readonly string[], header: string, values: readonly string[]): boolean {
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word))
  const filled = values.filter((value) => !isPlaceholder(value))
  const areYesOrNo = filled.every((value) => readConsent(value) !== undefined || repeatsHeader(value, header))
  if (filled.length > 0 && areYesOrNo) return has(callVerb) || has(callNoun) || has(permissionWord)
  if (has(callDetailWord) || !has(callVerb)) return false
  return filled.length === 0 || ((has(permissionWord) || has(requestWord)) && !filled.some(isContactValue))
}

/** Returns true for a value that can be a phone number, and so isn't a permission. */
const isContactValue = (value: string): boolean => value.replace(/\D/g, '').length >= 7

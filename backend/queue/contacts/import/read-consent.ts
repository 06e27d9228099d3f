import { readYesNo } from '@outdial/reading'
import { toWords } from './header-words.ts'

// cspell:disable
const yesWords = new Set([
  'optin',
  'optedin',
  'subscribed',
  'granted',
  'agreed',
  'accepted',
  'consented',
  'given',
  'allowed',
])
const noWords = new Set([
  ...['optout', 'optedout', 'unsubscribed', 'nonsubscribed', 'denied', 'declined', 'refused', 'rejected'],
  ...['revoked', 'withdrawn', 'notgiven', 'notallowed', 'dnc', 'donotcall', 'blocked'],
])
// cspell:enable

/** Reads whether a person agreed. Returns undefined for other text, because only the user knows what it means. */
export function readConsent(text: string): boolean | undefined {
  const word = text.toLowerCase().replace(/[\s_.-]/g, '')
  if (yesWords.has(word)) return true
  return noWords.has(word) ? false : readYesNo(text)
}

/** The maximum length of a stored header. Longer headers are cut. */
const maxHeaderLength = 500

/** Returns true for the cell of a checkbox that repeats the statement in its header: “I agree to be called”. */
export const repeatsHeader = (cell: string, header: string): boolean => {
  const [text, statement] = [cell, header].map((one) => toWords(one.slice(0, maxHeaderLength)).join(''))
  return text !== '' && text === statement
}

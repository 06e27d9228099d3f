import { parsePhone } from '../core/phone.ts'

/**
 * What somebody types to find a contact: words, or a phone number in any spelling.
 *
 * @param country that a national number is read for
 */
export function parseContactSearch(
  text: string,
  country: string,
): { words: readonly string[]; phoneNumber: string | null } {
  const parsed = parsePhone(text, country)
  if (parsed.ok) return { words: [], phoneNumber: parsed.phoneNumber }
  const isPartOfNumber = /^[+\d\s()./-]+$/.test(text) && /\d{3}/.test(text.replace(/\D/g, ''))
  // National spellings begin with a zero that E.164 leaves out.
  if (isPartOfNumber) return { words: [text.replace(/\D/g, '').replace(/^0+/, '')], phoneNumber: null }
  return { words: text.split(/\s+/).filter(Boolean).slice(0, 10), phoneNumber: null }
}

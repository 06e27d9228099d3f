import type { ContactIdentifiers, PersonNames } from '../../../platform/db/erasure.ts'

/** Characters to search before other work of the process gets a turn. */
const sliceLength = 1024 * 1024

/**
 * Returns true if a text contains the phone number of one of the people in any format, or the email address. The digits of a
 * number can be apart in any way, as `containsIdentifier` finds them in the database.
 */
export async function mentionsPerson(
  text: string,
  people: readonly Pick<ContactIdentifiers, 'digits' | 'email'>[],
): Promise<boolean> {
  const addresses = people.flatMap(({ email }) => (email ? [email.toLowerCase()] : []))
  const overlap = Math.max(0, ...addresses.map((address) => address.length))
  const digitCount = Math.max(...people.map(({ digits }) => digits.length))
  let numbers = ''
  for (let start = 0; start < text.length; start += sliceLength) {
    if (start > 0) await new Promise((resolve) => setImmediate(resolve))
    const slice = text.slice(start, start + sliceLength + overlap).toLowerCase()
    if (addresses.some((address) => slice.includes(address))) return true
    numbers = numbers.slice(-digitCount) + toDigits(text.slice(start, start + sliceLength))
    if (people.some(({ digits }) => numbers.includes(digits))) return true
  }
  return false
}

/** Shorter external IDs are also parts of ordinary names: "leads 12.csv". */
const minIdLength = 4

/** Returns true if the name of a file contains the phone number, the email address, the external ID, or both names. */
export function namesPerson(fileName: string, person: PersonNames): boolean {
  const { digits, email, externalId, firstName, lastName } = person
  const text = fileName.normalize('NFKC').toLowerCase()
  if (toDigits(text).includes(digits)) return true
  if (email && text.includes(email.normalize('NFKC').toLowerCase())) return true
  const words = toWords(fileName)
  const contains = (name: string | null) =>
    toWords(name ?? '').trim() !== '' && words.includes(toWords(name ?? ''))
  if (externalId && externalId.length >= minIdLength && contains(externalId)) return true
  return contains(firstName) && contains(lastName)
}

/** Returns the words of a text in lower case, with a space before and after each. */
const toWords = (text: string): string =>
  ` ${text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean)
    .join(' ')} `

/** Returns the digits of a text. Those of other scripts count, because numbers with them are read, too. */
const toDigits = (text: string): string =>
  text.replace(/[^\p{Nd}]+/gu, '').replace(/[^0-9]/gu, (digit) => String(toDigit(digit.codePointAt(0) ?? 0)))

/** Unicode's decimal digits come in runs from 0 to 9. Returns the digit by its place in its run. */
function toDigit(codePoint: number): number {
  const isDigit = (point: number) => /\p{Nd}/u.test(String.fromCodePoint(point))
  for (let offset = 0; offset < 10; offset += 1) if (!isDigit(codePoint - offset - 1)) return offset
  return codePoint % 10
}

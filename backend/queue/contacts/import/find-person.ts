import type { ContactIdentifiers, PersonNames } from '../../../platform/db/erasure.ts'

/** The number of characters to search before other work of the process gets a turn. */
const sliceLength = 1024 * 1024

/**
 * Returns true if a text contains the phone number or the email address of one of the people. Ignores everything between the
 * digits of a number, as does `containsIdentifier`, which searches the database.
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

/** The minimum length of an external ID to look for. Shorter ones are also in ordinary file names, such as "leads 12.csv". */
const minIdLength = 4

/** Returns true if the name of a file contains a person's phone number, email address, external ID, or first and last name. */
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

/** Returns the digits of a text. Converts digits of other scripts, because phone numbers can be written with them. */
const toDigits = (text: string): string =>
  text.replace(/[^\p{Nd}]+/gu, '').replace(/[^0-9]/gu, (digit) => String(toDigit(digit.codePointAt(0) ?? 0)))

/**
 * Returns the value of a digit in any script. Unicode's decimal digits come in runs from 0 to 9, so the value is the digit's
 * place in its run.
 */
function toDigit(codePoint: number): number {
  const isDigit = (point: number) => /\p{Nd}/u.test(String.fromCodePoint(point))
  for (let offset = 0; offset < 10; offset += 1) if (!isDigit(codePoint - offset - 1)) return offset
  return codePoint % 10
}

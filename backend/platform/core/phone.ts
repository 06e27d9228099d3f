import {
  type CountryCode,
  findPhoneNumbersInText,
  isSupportedCountry,
  ParseError,
  parsePhoneNumberWithError,
  type PhoneNumber,
  type PhoneNumberType,
} from 'libphonenumber-js/max'
import { LRUCache } from 'lru-cache'
import { type FieldIssue, fieldIssue } from './errors.ts'

/** A number in E.164, or the issue that makes it invalid. */
type ParsedPhone = { ok: true; phoneNumber: string } | { ok: false; issue: FieldIssue }

/** Numbers in E.164, each once, in the order of the text. */
type ParsedPhones = { ok: true; phoneNumbers: [string, ...string[]] } | { ok: false; issue: FieldIssue }

/** Invisible characters, such as direction marks, that numbers copied from an address book can contain. */
const invisibleCharacters = /[\p{Cf}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F]/gu

/**
 * Normalizes a phone number in any format that libphonenumber supports: international, national with `country` (ISO 3166-1
 * alpha-2), digits of other scripts, RFC 3966 `tel:` URIs. Also accepts the characters that lead forms, spreadsheets, and
 * chat apps add. Rejects any other text around the number, and several numbers. Also rejects a number with an extension,
 * because the call would end at the switchboard.
 *
 * @param country null if it's unknown: then only numbers with a country code are valid
 */
export function parsePhone(input: string, country: string | null): ParsedPhone {
  if (input.length > maxNumberLength) return invalidNumber('invalid_phone_number')
  const inCountry = toCountryCode(country)
  const parsed = readNumber(normalizeInput(input), inCountry)
  if (parsed !== undefined && parsed.ext === undefined) return { ok: true, phoneNumber: parsed.number }
  if (findPhones(input, inCountry).length > 1) return invalidNumber('invalid_phone_number.several')
  if (parsed !== undefined) return invalidNumber('phone_number_extension')
  return isUnsupported(country) ? invalidCountry(country) : invalidNumber('invalid_phone_number')
}

/**
 * Parses all numbers in a text, and drops their extensions. It's for people who opt out: their request counts, however they
 * write the number. Never guesses: if the text has no valid number, returns an issue.
 *
 * @param country null if it's unknown: then only numbers with a country code are valid
 */
export function parsePhones(input: string, country: string | null): ParsedPhones {
  const found = input.length > maxTextLength ? [] : findPhones(input, toCountryCode(country))
  const [first, ...others] = found
  if (first !== undefined) return { ok: true, phoneNumbers: [first, ...others] }
  return isUnsupported(country) ? invalidCountry(country) : invalidNumber('invalid_phone_number.none')
}

/**
 * Returns true for a number that can cost much more than other numbers: premium-rate, shared-cost, personal, pager, and
 * satellite numbers, and numbers of international services.
 *
 * @param phoneNumber in E.164
 */
export function isSpecialNumber(phoneNumber: string): boolean {
  const parsed = parseNumber(phoneNumber, undefined)
  if (parsed === undefined) return false
  return specialCountryCodes.has(parsed.countryCallingCode) || specialTypes.has(parsed.getType())
}

/**
 * Returns the country of a number, ISO 3166-1 alpha-2: +1 876 is Jamaica. Returns undefined for a number without a country,
 * such as a satellite number.
 *
 * @param phoneNumber in E.164
 */
export function countryOfNumber(phoneNumber: string): string | undefined {
  const found = countries.get(phoneNumber) ?? { country: parseNumber(phoneNumber, undefined)?.country }
  countries.set(phoneNumber, found)
  return found.country
}

/** Caches countries by number, because each calling rule looks up the country of the same number. */
const countries = new LRUCache<string, { country: string | undefined }>({ max: 5_000 })

const specialTypes: ReadonlySet<PhoneNumberType | undefined> = new Set([
  'PREMIUM_RATE',
  'SHARED_COST',
  'PERSONAL_NUMBER',
  'PAGER',
])

/**
 * Codes of international networks and services (ITU-T E.164.D). They're listed here, because libphonenumber says that
 * satellite phones are mobile phones.
 */
const specialCountryCodes: ReadonlySet<string> = new Set(['808', '870', '878', '881', '882', '883', '979'])

const toCountryCode = (country: string | null): CountryCode | undefined =>
  country !== null && isSupportedCountry(country) ? country : undefined

const isUnsupported = (country: string | null): country is string =>
  country !== null && !isSupportedCountry(country)

/** Maximum length of a number's text. libphonenumber has the same limit, but other code reads the text first. */
const maxNumberLength = 250

/** Maximum length of a text with several numbers, which is the API's limit. */
const maxTextLength = 1_000

function findPhones(input: string, country: CountryCode | undefined): string[] {
  const whole = readNumber(normalizeInput(input), country)
  // Splits the text below if its extension has seven digits or more, because that's another number.
  if (whole !== undefined && (whole.ext ?? '').length < 7) return [whole.number]
  const parts = removeInvisible(input)
    .replace(/(?<=\d{6})\.0+(?![\d.])/g, '') // decimals of numbers that were stored as "12025550100.0"
    .replace(/\b\d{4}-\d\d-\d\d\b|\b\d{1,2}\/\d{1,2}\/\d{2,4}\b|\b\d{1,2}:\d\d\b/g, '\n') // dates and times
    .replace(/(?<![\d.])\d{1,2}[.)]\s/g, '\n') // list numbering, such as "1. "
    .replace(/(?<=\p{L})(?=[+\d])|(?<=\d)(?=\p{L})|[$€£]/gu, ' ') // separates "m2025550100", which the parser would reject
    .split(/[,;|\n\r\t"'<>]|\s[-–—]\s|(?<=\d{10})-+(?=\+?\d{10})/)
  return [...new Set(parts.flatMap((part) => findInPart(part.trim(), country)))]
}

/**
 * Finds the numbers in a part of a text. The part can be one number, numbers with spaces between them, or words and
 * numbers.
 */
function findInPart(text: string, country: CountryCode | undefined): string[] {
  const whole = readNumber(text, country)
  if (whole !== undefined) return [whole.number]
  const isOnlyDigits = /^[\d\s().+-]{14,}$/.test(text)
  const split = isOnlyDigits
    ? (splitIntoNumbers(text.split(/\s+/), country) ?? splitIntoNumbers(text.split(/[\s-]+/), country))
    : undefined
  if (split !== undefined) return split
  const spellings = [...new Set([text, spellPrefixes(text)])]
  return spellings.flatMap((spelling) => searchNumbers(spelling, country))
}

/** Splits words such as 0412 345 678 0412 345 679 into numbers that are all valid. */
function splitIntoNumbers(words: readonly string[], country: CountryCode | undefined): string[] | undefined {
  if (words.length > 20) return undefined
  const rest: (string[] | undefined)[] = Array.from({ length: words.length + 1 })
  rest[words.length] = []
  for (let start = words.length - 1; start >= 0; start -= 1)
    for (let end = start + 1; end <= words.length && rest[start] === undefined; end += 1) {
      const others = rest[end]
      const parsed = others && readNumber(words.slice(start, end).join(' '), country)
      if (others !== undefined && parsed !== undefined) rest[start] = [parsed.number, ...others]
    }
  return rest[0]
}

function searchNumbers(text: string, country: CountryCode | undefined): string[] {
  return findPhoneNumbersInText(text, country)
    .filter(({ number, startsAt }) => isE164(number) && !isTail(text, startsAt))
    .map(({ number }) => number.number)
}

/** Returns true if a country code comes before the match. The match lacks this code, so it could be another person's number. */
const isTail = (text: string, startsAt: number): boolean =>
  text[startsAt] !== '+' &&
  /(?:\+|(?<!\d)00)[\s(]*\d{1,3}[\s().-]*$/.test(text.slice(Math.max(0, startsAt - 20), startsAt))

/** Prepares text for the parser, which accepts only the ASCII plus sign and no surrounding spaces. */
function normalizeInput(input: string): string {
  const text = removeInvisible(input)
  if (/^tel:[^;]*(?:;[\w-]+=[^;]*)*$/i.test(text)) return parseTelUri(text.slice(4))
  return text
    .replace(/^=?"(.*)"$/s, '$1') // spreadsheets: ="+12025550100"
    .replace(/^(?:p:|')\s*/i, '') // prefixes of Meta's lead forms (p:), and of text in spreadsheets (')
    .replace(/^(\+?\d+)\.00?$/, '$1') // a number that was stored as a decimal: 12025550100.0
}

const removeInvisible = (input: string): string =>
  input.replace(invisibleCharacters, '').replaceAll('＋', '+').trim()

/** Reads a valid number. Tries another spelling only if the number isn't valid as written. */
function readNumber(text: string, country: CountryCode | undefined): PhoneNumber | undefined {
  const parse = (spelling: string) => {
    const parsed = parseNumber(spelling, country)
    return parsed !== undefined && isE164(parsed) ? parsed : undefined
  }
  return parse(text) ?? parse(spellPrefixes(text))
}

/** Replaces 00 before a country code with +, and removes the 1 that WhatsApp still writes after Mexico's country code. */
const spellPrefixes = (text: string): string =>
  text
    .replace(/(?<![+\d][\s.()-]{0,3})00\s?(?=[1-9])/g, '+')
    .replace(/\+\s?52[\s-]?(?:1|\(1\))(?=[\s-]?\d)/g, '+52 ')

const isE164 = (parsed: PhoneNumber): boolean => parsed.isValid() && /^\+[1-9]\d{1,14}$/.test(parsed.number)

/** Parses what follows `tel:` (RFC 3966, section 3). Adds the context to a local number, and drops the subaddress. */
function parseTelUri(uriPath: string): string {
  const [number = '', ...parameters] = uriPath.split(';')
  const getParameter = (name: string) =>
    parameters.find((parameter) => parameter.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
  const context = getParameter('phone-context')
  const extension = getParameter('ext')
  return [
    context?.startsWith('+') === true && !number.startsWith('+') ? context : '',
    number,
    extension === undefined ? '' : `;ext=${extension}`,
  ].join('')
}

/** Returns true if the number starts with +, which means it includes its country code and can be parsed without a default country. */
export const isInternational = (input: string): boolean => normalizeInput(input).startsWith('+')

const invalidNumber = (
  code:
    | 'invalid_phone_number'
    | 'invalid_phone_number.several'
    | 'invalid_phone_number.none'
    | 'phone_number_extension',
) => ({ ok: false, issue: fieldIssue('phone_number', code) }) as const

const invalidCountry = (country: string) =>
  ({ ok: false, issue: fieldIssue('country', 'invalid_country', { country }) }) as const

function parseNumber(text: string, defaultCountry: CountryCode | undefined): PhoneNumber | undefined {
  try {
    return parsePhoneNumberWithError(text, { defaultCountry, extract: false })
  } catch (error) {
    if (error instanceof ParseError) return undefined
    throw error
  }
}

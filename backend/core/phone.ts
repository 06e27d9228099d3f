import {
  type CountryCode,
  isSupportedCountry,
  ParseError,
  parsePhoneNumberWithError,
  type PhoneNumber,
} from 'libphonenumber-js/max'
import { type FieldIssue, fieldIssue } from './errors.ts'

/** A number in E.164, or its issue. */
type ParsedPhone = { ok: true; phoneNumber: string } | { ok: false; issue: FieldIssue }

/** Invisible characters, such as direction marks, that numbers copied from an address book can contain. */
const invisibleCharacters = /[\p{Cf}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F]/gu

/**
 * Normalizes a phone number in any format that libphonenumber supports: international, national with `country`
 * (ISO 3166-1 alpha-2), digits of other scripts, RFC 3966 `tel:` URIs. Rejects text with anything before or after the
 * number, and numbers with an extension, because the call would end at the switchboard.
 */
export function parsePhone(input: string, country: string): ParsedPhone {
  if (input.length > maxInputLength) return invalidNumber('invalid_phone_number')
  if (!isSupportedCountry(country)) {
    return { ok: false, issue: fieldIssue('country', 'invalid_country', { country }) }
  }
  const parsed = parseNumber(normalizeInput(input), country)
  if (parsed === undefined || !parsed.isValid() || !/^\+[1-9]\d{1,14}$/.test(parsed.number)) {
    return invalidNumber('invalid_phone_number')
  }
  if (parsed.ext !== undefined) {
    return invalidNumber('phone_number_extension')
  }
  return { ok: true, phoneNumber: parsed.number }
}

/** Longer text isn't a number. libphonenumber has the same limit, but other code reads the text first. */
const maxInputLength = 250

/** Prepares text for the parser, which accepts only the ASCII plus sign and no surrounding spaces. */
function normalizeInput(input: string): string {
  const text = input.replace(invisibleCharacters, '').replaceAll('＋', '+').trim()
  return /^tel:/i.test(text) ? parseTelUri(text.slice(4)) : text
}

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

/** Returns true for a number with a country code, which can be parsed without knowing the country. */
export const isInternational = (input: string): boolean => normalizeInput(input).startsWith('+')

const invalidNumber = (code: 'invalid_phone_number' | 'phone_number_extension'): ParsedPhone => ({
  ok: false,
  issue: fieldIssue('phone_number', code),
})

function parseNumber(text: string, defaultCountry: CountryCode): PhoneNumber | undefined {
  try {
    return parsePhoneNumberWithError(text, { defaultCountry, extract: false })
  } catch (error) {
    if (error instanceof ParseError) return undefined
    throw error
  }
}

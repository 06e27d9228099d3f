import {
  type CountryCode,
  isSupportedCountry,
  ParseError,
  parsePhoneNumberWithError,
  type PhoneNumber,
} from 'libphonenumber-js/max'

/** A number in E.164, or what is wrong with it, as a detail of an error. */
type ParsedPhone =
  | { ok: true; phoneNumber: string }
  | { ok: false; field: 'phone_number' | 'country'; code: string; message: string }

/** Direction marks, joiners and the like, which come along when a number is copied from an address book. */
const invisibleCharacters = /[\p{Cf}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F]/gu

/**
 * Normalises a phone number of any spelling that libphonenumber knows: international, national with
 * `country` (ISO 3166-1 alpha-2), digits of other scripts, RFC 3966 `tel:` URIs. Nothing may stand before
 * or after it. An extension is refused: a call would end at the switchboard.
 */
export function parsePhone(input: string, country: string): ParsedPhone {
  if (!isSupportedCountry(country)) {
    const message = `${country} is not a country that phone numbers can be read for: use a code such as US.`
    return { ok: false, field: 'country', code: 'invalid_country', message }
  }
  const parsed = parseNumber(normalizeInput(input), country)
  if (parsed === undefined || !parsed.isValid() || !/^\+[1-9]\d{1,14}$/.test(parsed.number)) {
    return invalidNumber('invalid_phone_number', describeInvalidNumber(country))
  }
  if (parsed.ext !== undefined) {
    return invalidNumber(
      'phone_number_extension',
      'This phone number has an extension: leave it out, it cannot be dialed.',
    )
  }
  return { ok: true, phoneNumber: parsed.number }
}

/** What the parser reads: it takes digits of every script, but one plus sign, and no spaces around. */
function normalizeInput(input: string): string {
  const text = input.replace(invisibleCharacters, '').replaceAll('＋', '+').trim()
  return /^tel:/i.test(text) ? parseTelUri(text.slice(4)) : text
}

/** RFC 3966, section 3: a local number has its context, and the subaddress is nobody's to dial. */
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

/** Whether a number names its country itself: then no other needs to be known. */
export const isInternational = (input: string): boolean => normalizeInput(input).startsWith('+')

const invalidNumber = (code: string, message: string): ParsedPhone => ({
  ok: false,
  field: 'phone_number',
  code,
  message,
})

const describeInvalidNumber = (country: string) =>
  `This is not a phone number that can be called: write it with its country code, such as +12025550100, or as it is dialed inside ${country}.`

function parseNumber(text: string, defaultCountry: CountryCode): PhoneNumber | undefined {
  try {
    return parsePhoneNumberWithError(text, { defaultCountry, extract: false })
  } catch (error) {
    if (error instanceof ParseError) return undefined
    throw error
  }
}

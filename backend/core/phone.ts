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
 * Normalizes a phone number in any format that libphonenumber knows: international, national with
 * `country` (ISO 3166-1 alpha-2), digits of other scripts, RFC 3966 `tel:` URIs. Nothing may stand before
 * or after it. An extension is refused: a call would end at the switchboard.
 */
export function parsePhone(input: string, country: string): ParsedPhone {
  if (!isSupportedCountry(country)) {
    const message = `${country} isn't a supported country code. Use a two-letter code, for example US.`
    return { ok: false, field: 'country', code: 'invalid_country', message }
  }
  const parsed = parseNumber(normalizeInput(input), country)
  if (parsed === undefined || !parsed.isValid() || !/^\+[1-9]\d{1,14}$/.test(parsed.number)) {
    return invalidNumber('invalid_phone_number', invalidNumberMessage)
  }
  if (parsed.ext !== undefined) {
    return invalidNumber(
      'phone_number_extension',
      "This phone number has an extension, which can't be dialed. Remove the extension.",
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

const invalidNumberMessage =
  "This phone number isn't valid. Check it, and include the country code, for example +1 202 555 0100."

function parseNumber(text: string, defaultCountry: CountryCode): PhoneNumber | undefined {
  try {
    return parsePhoneNumberWithError(text, { defaultCountry, extract: false })
  } catch (error) {
    if (error instanceof ParseError) return undefined
    throw error
  }
}

import * as z from 'zod'
import type { detailTexts, ErrorValues } from './error-texts.ts'
import type { FieldText } from './field-texts.ts'

/** Makes a rule of a schema report a text of the catalog in `error-texts.ts`. */
export const withText = (key: keyof typeof detailTexts, values?: ErrorValues) => ({
  message: key,
  params: values,
})

/**
 * Accepts text from outside. If it's too long, no further checks run, because the time that patterns, parsers, and
 * `Intl` take can grow with the square of its length. So add a format as a check: `boundedText(254).check(z.email())`.
 *
 * @param tooLong an error text that's more helpful than one about the limit
 */
export const boundedText = (max: number, tooLong: Partial<ReturnType<typeof withText>> = {}) =>
  z.string().max(max, { ...tooLong, abort: true })

/** Accepts text from outside, like `boundedText`. Removes spaces around the text first, so they don't count as characters. */
export const trimmedText = (max: number) => z.string().trim().max(max, { abort: true })

/** Accepts any Unicode text except NUL, which PostgreSQL can't store. */
export const text = (max: number) =>
  boundedText(max)
    .min(1)
    .refine((value) => !value.includes('\u0000'), withText('invalid_text'))

/** The ID of a resource. */
export const Id = z.int().min(1)

/** An ID in a query string, where every value is text. */
export const QueryId = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

/** ISO 8601 in UTC with `Z`, as the API returns it. */
export const Timestamp = z.iso.datetime().describe('ISO 8601 in UTC, for example 2026-05-04T09:30:00.000Z')

/** ISO 8601 with `Z` or an offset. A time without a time zone is rejected, because it is ambiguous. */
export const TimestampInput = boundedText(64)
  .check(z.iso.datetime({ offset: true }))
  .refine(isCivilTime, withText('invalid_datetime.year'))
  .describe('ISO 8601 with a time zone, for example 2026-05-04T09:30:00+02:00')

/**
 * Returns false before 1900, because such years are placeholders or typing errors, and from 9999 on, because an offset can
 * move the end of that year to the year 10000, which ISO 8601 writes with a sign and six digits.
 */
function isCivilTime(value: string): boolean {
  const time = Date.parse(value)
  return time >= Date.UTC(1900, 0) && time < Date.UTC(9999, 0)
}

/** A duration in whole seconds. */
export const Seconds = z.int().min(0)

/** E.164, as the API returns it. */
export const PhoneNumberE164 = z
  .string()
  .regex(/^\+[1-9]\d{1,14}$/)
  .describe('E.164, for example +12025550100')

/** The number of a contact: empty after the contact is erased. */
export const ContactNumber = z
  .string()
  .regex(/^(\+[1-9]\d{1,14})?$/)
  .describe('E.164, for example +12025550100. Empty after the contact is erased.')

const country = z.regex(/^[A-Z]{2}$/, withText('invalid_format.country'))

/** ISO 3166-1 alpha-2, in capitals, as the API returns it. */
export const Country = z.string().check(country).describe('ISO 3166-1 alpha-2, for example US')

/** A country in a request. */
export const CountryInput = boundedText(2, withText('invalid_format.country'))
  .check(country)
  .describe('ISO 3166-1 alpha-2, for example US')

/**
 * An IANA time zone name. Rejects offsets, such as `+02:00` and `EST`, which have no daylight time. `UTC` is allowed.
 */
export const TimeZone = boundedText(64)
  .refine(isTimeZone, withText('invalid_time_zone'))
  .describe('IANA time zone, for example Europe/Berlin')

/** Matches the accepted names with three letters. Others are ambiguous, such as BST (London or Dhaka), or fixed offsets. */
const shortNames = /^(CET|EET|GMT|MET|PRC|ROC|ROK|UCT|UTC|WET)$/i

/** A stored time zone. It isn't checked again, because another machine may have other zones. */
export const StoredTimeZone = z.string().describe('IANA time zone, for example Europe/Berlin')

function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  if (name.length === 3 && !shortNames.test(name)) return false
  if (/^(?:Etc\/)?GMT[+-]/i.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Adds the texts for developers to the fields of an object, for the OpenAPI document. */
export const describeFields = <Shape extends Record<string, z.ZodType>>(
  shape: Shape,
  texts: Partial<Record<string, FieldText>>,
): Shape =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const description = texts[name]?.api
      return [name, description === undefined ? schema : schema.describe(description)]
    }),
  ) as Shape

/** Returns the texts of the fields inside a field by their own names: `calling_hours.start` becomes `start`. */
export const fieldsBelow = (texts: Record<string, FieldText>, field: string): Record<string, FieldText> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([path, fieldText]) =>
      path.startsWith(`${field}.`) ? [[path.slice(field.length + 1), fieldText]] : [],
    ),
  )

/** Returns the schema of a flat dictionary of text. */
export const dictionary = (limits: { keys: number; key: number; value: number }) =>
  limitEntries(z.record(text(limits.key), text(limits.value)), limits.keys)

export const limitEntries = <Schema extends z.ZodType<object>>(record: Schema, max: number) =>
  record.refine((value) => Object.keys(value).length <= max, withText('too_big', { limit: `${max} entries` }))

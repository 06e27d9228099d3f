import * as z from 'zod'
import type { FieldText } from './field-texts.ts'

/**
 * Text as a person typed it, any Unicode. NUL is refused: PostgreSQL cannot store it, and an
 * automation that sends one has sent something else than text.
 */
export const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => !value.includes('\u0000'), {
      message: 'must not contain the NUL character',
    })

/** A public resource id. */
export const Id = z.int().min(1)

/** The same in a query string, where every value is text. */
export const QueryId = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

/** ISO 8601 in UTC with `Z`, as the API answers it. */
export const Timestamp = z.iso.datetime().describe('ISO 8601 in UTC, for example 2026-05-04T09:30:00.000Z')

/** ISO 8601 with `Z` or an offset. A time without a zone is refused: it means another moment to everyone. */
export const TimestampInput = z.iso
  .datetime({ offset: true })
  .refine(isCivilTime, {
    message: 'must be a time between the years 1900 and 9998',
    params: { code: 'invalid_datetime' },
  })
  .describe('ISO 8601 with a time zone, for example 2026-05-04T09:30:00+02:00')

/** Outside, ISO 8601 needs a sign and six digits (the offset alone can carry a year across), and nobody calls. */
function isCivilTime(value: string): boolean {
  const time = Date.parse(value)
  return time >= Date.UTC(1900, 0) && time < Date.UTC(9999, 0)
}

/** A duration in whole seconds. */
export const Seconds = z.int().min(0)

/** E.164, as the API answers it. */
export const PhoneNumberE164 = z
  .string()
  .regex(/^\+[1-9]\d{1,14}$/)
  .describe('E.164, for example +12025550100')

/** The number of a contact: nothing is left of it once the contact was erased. */
export const ContactNumber = z
  .string()
  .regex(/^(\+[1-9]\d{1,14})?$/)
  .describe('E.164, for example +12025550100; empty where the contact was erased')

/** ISO 3166-1 alpha-2, in capitals. */
export const Country = z
  .string()
  .regex(/^[A-Z]{2}$/, { message: 'must be a country code in capitals, such as US' })
  .describe('ISO 3166-1 alpha-2, for example US')

/** A name of the IANA time zone database. Fixed offsets such as `+02:00` are none: they know no summer time. */
export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, { message: 'must be an IANA time zone', params: { code: 'invalid_time_zone' } })
  .describe('IANA time zone, for example Europe/Berlin')

/** Three letters mean different places to different people (BST: London, or Dhaka): only those of IANA count. */
const shortNames = /^(CET|EET|EST|GMT|HST|MET|MST|PRC|ROC|ROK|UCT|UTC|WET)$/i

/** The same as it is answered: what was stored is told, whatever zones this machine knows. */
export const StoredTimeZone = z.string().describe('IANA time zone, for example Europe/Berlin')

function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  if (name.length === 3 && !shortNames.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Puts the texts for developers on the fields of an object: OpenAPI shows them. */
export const describeFields = <Shape extends Record<string, z.ZodType>>(
  shape: Shape,
  texts: Partial<Record<string, FieldText>>,
): Shape =>
  Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => {
      const description = texts[name]?.api ?? texts[name]?.help
      return [name, description === undefined ? schema : schema.describe(description)]
    }),
  ) as Shape

/** The texts of the fields inside a field: of `calling_hours.start`, by `start`. */
export const fieldsBelow = (texts: Record<string, FieldText>, field: string): Record<string, FieldText> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([path, fieldText]) =>
      path.startsWith(`${field}.`) ? [[path.slice(field.length + 1), fieldText]] : [],
    ),
  )

/** A flat dictionary of text. */
export const dictionary = (limits: { keys: number; key: number; value: number }) =>
  z.record(text(limits.key), text(limits.value)).refine((value) => Object.keys(value).length <= limits.keys, {
    message: `must have at most ${limits.keys} keys`,
    params: { code: 'too_big' },
  })

import { AddContact, dictionaryLimits, type ErrorDetail, type Warning } from '@outdial/contract'
import { ApiError, fieldIssue } from '../../platform/core/errors.ts'
import { formatFieldPath, validate } from '../../platform/core/validate.ts'
import { checkConsentDate } from './contact-input.ts'

/** A body of `POST /contacts/`, and what was left out of it. */
interface ReadBody {
  body: AddContact
  warnings: Warning[]
}

/**
 * Reads the body of `POST /contacts/`. If it's `lenient`, leaves out optional values that can't be used, each with a warning,
 * so that an invalid one doesn't cost the lead. Values that decide who is called, and when, must be valid.
 *
 * @throws {ApiError} validation_failed, unknown_field
 */
export function readAddContact(input: unknown): ReadBody {
  const strict = tryToRead(input)
  if (!(strict instanceof ApiError)) return { body: strict, warnings: [] }
  if (!isLenient(input)) throw strict
  // Leaves out excess entries first, so that few entries have to be checked, whatever the body contains.
  const warnings = dictionaries.flatMap((name) => findExcess(input, name))
  let rest = leaveOutExcess(input)
  for (;;) {
    const read = tryToRead(rest)
    if (!(read instanceof ApiError)) return { body: read, warnings: warnings.map(toWarning) }
    const body = rest
    const optional = read.details.filter((detail) => isOptional(body, detail))
    if (optional.length === 0) throw read
    rest = leaveOut(body, new Set(optional.map(({ field }) => field)))
    // If nothing was left out, the issue is about a top-level field named `consent.x`, which looks optional but isn't.
    if (countOptional(rest) === countOptional(body)) throw read
    warnings.push(...optional)
  }
}

function tryToRead(input: unknown): AddContact | ApiError {
  try {
    return validate(AddContact, input)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

/** Leaves out a consent whose date is in the future, if the body is `lenient`. */
export function leaveOutFutureConsent(body: AddContact, now: Date): ReadBody {
  try {
    checkConsentDate(body.consent, now)
    return { body, warnings: [] }
  } catch (error) {
    if (body.lenient !== true || !(error instanceof ApiError)) throw error
    return { body: { ...body, consent: undefined }, warnings: error.details.map(toWarning) }
  }
}

interface LenientBody {
  lenient: true
  [field: string]: unknown
}

const isLenient = (input: unknown): input is LenientBody =>
  typeof input === 'object' && input !== null && 'lenient' in input && input.lenient === true

/**
 * Returns true if the call can be queued without the value that has the issue. Wrong types and unknown fields are never
 * optional, because they're mistakes in the program that sent them.
 */
function isOptional(body: LenientBody, { field, code }: ErrorDetail): boolean {
  if (code === 'invalid_type' || code === 'unknown_field') return false
  if (/^(?:email|consent(?:\..*)?)$/s.test(field)) return true
  return dictionaries.some((name) =>
    entriesOf(body, name).some(([key]) => formatFieldPath([name, key]) === field),
  )
}

const dictionaries = ['variables', 'metadata'] as const

/** Returns the entries of a dictionary whose values aren't blank. Returns an empty list if the dictionary isn't an object. */
function entriesOf(body: LenientBody, name: string): [string, unknown][] {
  const value = body[name]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).filter(([, entry]) => entry !== '')
}

const kindOf = (consent: unknown): unknown =>
  typeof consent === 'object' && consent !== null && 'kind' in consent ? consent.kind : undefined

/** Counts the values of a body that can still be left out. */
const countOptional = (body: LenientBody): number =>
  [body.email, body.consent, kindOf(body.consent)].filter((value) => value !== undefined).length +
  dictionaries.reduce((count, name) => count + entriesOf(body, name).length, 0)

function findExcess(body: LenientBody, name: (typeof dictionaries)[number]): ErrorDetail[] {
  const { keys } = dictionaryLimits[name]
  return entriesOf(body, name).length > keys
    ? [fieldIssue(name, 'too_big', { limit: `${keys} entries` })]
    : []
}

/** Returns the body without the last entries of a dictionary that has too many. */
const leaveOutExcess = (body: LenientBody): LenientBody =>
  mapDictionaries(body, (entries, name) => entries.slice(0, dictionaryLimits[name].keys))

/**
 * Returns the body without these fields. If only the kind of the consent is among them, the rest of the consent stays.
 * Otherwise, the consent is left out as a whole.
 */
function leaveOut(body: LenientBody, fields: ReadonlySet<string>): LenientBody {
  const others = [...fields].filter((field) => field !== 'consent.kind')
  const top = new Set(others.map((field) => field.split('.', 1)[0] ?? ''))
  const changed = mapDictionaries(body, (entries, name) =>
    entries.filter(([key]) => !fields.has(formatFieldPath([name, key]))),
  )
  return {
    ...changed,
    ...(fields.has('consent.kind') && { consent: withoutKind(body.consent) }),
    ...(top.has('email') && { email: undefined }),
    ...(top.has('consent') && { consent: undefined }),
  }
}

const withoutKind = (consent: unknown): unknown =>
  kindOf(consent) === undefined ? consent : { ...(consent as object), kind: undefined }

/** Changes the dictionaries of a body. A dictionary without entries stays as it is. */
function mapDictionaries(
  body: LenientBody,
  change: (entries: [string, unknown][], name: (typeof dictionaries)[number]) => [string, unknown][],
): LenientBody {
  const changed = dictionaries.flatMap((name) => {
    const entries = entriesOf(body, name)
    return entries.length === 0 ? [] : [[name, Object.fromEntries(change(entries, name))] as const]
  })
  return { ...body, ...Object.fromEntries(changed) }
}

/** Returns what a response says about a value that was left out. */
export const toWarning = ({ field, code, message }: ErrorDetail): Warning => ({
  field,
  code,
  message: `Left out: ${message}`,
})

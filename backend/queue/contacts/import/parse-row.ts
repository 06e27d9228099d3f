import type { ErrorDetail } from '@outdial/contract'
import { isPlaceholder, readCountry, readDoNotCall } from '@outdial/reading'
import * as z from 'zod'
import { cleanCell } from '../../../platform/core/csv.ts'
import { ApiError } from '../../../platform/core/errors.ts'
import { pick } from '../../../platform/core/records.ts'
import { cutText } from '../../../platform/core/text.ts'
import { validate, withoutFieldName } from '../../../platform/core/validate.ts'
import { detailColumns } from '../../../platform/db/tables/contact-fields.ts'
import { ContactInput, requireTimeZone } from '../contact-input.ts'
import type { ImportColumn, ImportField } from './import-columns.ts'
import { type FileConsent, parseConsent } from './parse-consent.ts'
import { type HeadedCell, parseRowNumbers, toNotBlocked } from './parse-row-numbers.ts'
import { readConsent, repeatsHeader } from './read-consent.ts'
import type { RowIssue } from './row-issue.ts'

/**
 * A contact in a file. `other_numbers` are also added to the do-not-call list, if the person must not be called. With
 * `consent_denied`, the person said no to consent, and is saved but not called.
 */
export const ImportedContact = ContactInput.extend({
  other_numbers: z.array(z.string()).default([]),
  consent_denied: z.boolean().optional(),
})
export type ImportedContact = z.infer<typeof ImportedContact>

type ParsedRow =
  | { phoneNumber: string; fields: ImportedContact; notices: RowIssue[] }
  /**
   * `deniedNumber` is the number of someone who said no to consent. It counts although the row is rejected, because another row
   * could say yes.
   */
  | { issues: RowIssue[]; deniedNumber?: string | undefined }

/** The context for parsing the numbers, dates, and consent of a file. */
export interface ImportContext {
  country: string
  timeZone: string
  now: Date
  consent?: FileConsent
}

/** Parses one record of a file into the fields of `POST /contacts/`. Empty cells are omitted. */
export function parseRow(
  columns: readonly ImportColumn[],
  cells: readonly string[],
  context: ImportContext,
): ParsedRow {
  const extraCells = cells.slice(columns.length)
  if (extraCells.some((cell) => cell.trim() !== '')) {
    const message = `This row has ${cells.length} cells, but the file has ${columns.length} columns. Put cells that contain commas in quotation marks.`
    return { issues: [{ column: '', message }] }
  }
  const row = sortCells(columns, cells)
  const name = row.countries.find(({ cell }) => !isCountryCode(cell))
  if (name !== undefined) row.variables.push(['country', name.cell])
  const parsed = parseRowNumbers(row.phones, row.countries, row.mustNotBeCalled, context.country)
  const { phoneNumbers: [phoneNumber, ...otherNumbers] = [], notices = [] } =
    'phoneNumbers' in parsed ? parsed : {}
  const parsedFields = parseFields(columns, row, phoneNumber, context)
  if (phoneNumber !== undefined && ('fields' in parsedFields || row.mustNotBeCalled)) {
    const numbers = { phone_number: phoneNumber, other_numbers: otherNumbers }
    // Someone who must not be called is blocked, even if other cells of the row can't be read.
    const fields = 'fields' in parsedFields ? parsedFields.fields : { do_not_call: true }
    const isDenied = row.isConsentGiven === false && !row.mustNotBeCalled
    return {
      phoneNumber,
      fields: { ...fields, ...numbers, ...(isDenied && { consent_denied: true }) },
      notices: isDenied ? [...notices, deniedNotice(columns)] : notices,
    }
  }
  const issues = [
    ...('issues' in parsed ? parsed.issues : []),
    ...('issues' in parsedFields ? parsedFields.issues : []),
  ]
  if ('issues' in parsed && row.phones.length === 0)
    issues.unshift({ column: findHeader(columns, 'phone_number'), message: 'Phone number is missing.' })
  return {
    issues: row.mustNotBeCalled ? issues.map(toNotBlocked) : issues,
    deniedNumber: row.isConsentGiven === false ? phoneNumber : undefined,
  }
}

const deniedNotice = (columns: readonly ImportColumn[]): RowIssue => ({
  column: findHeader(columns, 'consent_given'),
  message: 'No consent. The contact is saved, but not called.',
  kind: 'no_consent',
})

/** Fields in which “none” or “-” is an answer, or an error. In other fields, such text counts as blank. */
const keepsPlaceholders: ReadonlySet<ImportField | null> = new Set(['phone_number', 'country', 'do_not_call'])

/**
 * Returns true for a country code or a dial code, which help to parse the number. Other text becomes a variable that an agent
 * can say.
 */
const isCountryCode = (cell: string): boolean => {
  const as = readCountry(cell)?.as
  return as === 'code' || as === 'dial_code'
}

type RepeatableField = 'phone_number' | 'do_not_call' | 'may_call' | 'consent_given' | 'country'
type FieldCells = Partial<Record<Exclude<ImportField, RepeatableField>, string>>

/** The cells of a row that aren't blank. */
interface RowCells {
  fieldCells: FieldCells
  /** The cells with phone numbers, in the order of preference. */
  phones: HeadedCell[]
  countries: HeadedCell[]
  /** The cells of yes-or-no columns. `answer` is undefined if the cell's text isn't recognized. */
  yesNoCells: { header: string; cell: string; answer: boolean | undefined }[]
  /** True if one of `yesNoCells` says so. */
  mustNotBeCalled: boolean
  /** False if one of `yesNoCells` says no to consent. */
  isConsentGiven: boolean | undefined
  variables: [string, string][]
}

function sortCells(columns: readonly ImportColumn[], cells: readonly string[]): RowCells {
  const phones: (HeadedCell & { rank: number })[] = []
  const row: RowCells = {
    ...{ fieldCells: {}, phones, countries: [], yesNoCells: [], variables: [] },
    ...{ mustNotBeCalled: false, isConsentGiven: undefined },
  }
  columns.forEach(({ header, field, variable, rank }, index) => {
    const cell = cleanCell(cells[index] ?? '')
    if (cell === '' || (!keepsPlaceholders.has(field) && isPlaceholder(cell))) return
    if (variable !== null) row.variables.push([variable, cell])
    if (field === null) return
    if (field === 'phone_number') phones.push({ header, cell, rank })
    else if (field === 'country') row.countries.push({ header, cell })
    else if (field === 'do_not_call' || field === 'may_call' || field === 'consent_given') {
      const answer = readAnswer(field, cell, header)
      row.yesNoCells.push({ header, cell, answer })
      if (field === 'consent_given') row.isConsentGiven = row.isConsentGiven === false ? false : answer
      else if (answer === (field === 'do_not_call')) row.mustNotBeCalled = true
    } else row.fieldCells[field] = cell
  })
  if (phones.length > 1) phones.sort((a, b) => a.rank - b.rank)
  return row
}

/**
 * Reads a yes-or-no cell. Except for `may_call`, a cell that repeats its header means yes, because forms write the statement of
 * a checked box.
 */
function readAnswer(
  field: 'do_not_call' | 'may_call' | 'consent_given',
  cell: string,
  header: string,
): boolean | undefined {
  const answer = field === 'do_not_call' ? readDoNotCall(cell) : readConsent(cell)
  if (answer !== undefined || field === 'may_call') return answer
  return repeatsHeader(cell, header) ? true : undefined
}

/** Parses everything but the number, so that a row with several issues reports all of them. */
function parseFields(
  columns: readonly ImportColumn[],
  { fieldCells, yesNoCells, mustNotBeCalled, isConsentGiven, variables }: RowCells,
  phoneNumber: string | undefined,
  context: ImportContext,
): { fields: Omit<ContactInput, 'phone_number'> } | { issues: RowIssue[] } {
  const details: ErrorDetail[] = []
  const collect = <Value>(parse: () => Value): Value | undefined => {
    try {
      return parse()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      details.push(...error.details)
      return undefined
    }
  }
  const { consent_source: source, consent_at: at, consent_kind: kind } = fieldCells
  const consent = collect(() => parseConsent({ source, at, kind, isGiven: isConsentGiven }, context))
  const timeZone = collect(() => parseTimeZone(fieldCells.time_zone, phoneNumber))
  const fields = collect(() =>
    validate(FieldsWithoutPhone, {
      ...toNames(fieldCells),
      ...pick(fieldCells, detailColumns),
      time_zone: timeZone,
      ...(mustNotBeCalled && { do_not_call: true }),
      ...(consent !== undefined && { consent }),
      ...(variables.length > 0 && { variables: Object.fromEntries(variables) }),
    }),
  )
  const issues = [
    ...findUnknownWords(yesNoCells),
    ...details.map((detail) => ({
      column: findHeader(columns, detail.field),
      message: withoutFieldName(detail),
    })),
  ]
  return fields !== undefined && issues.length === 0 ? { fields } : { issues }
}

/**
 * Parses a time zone. If the number can't be read, returns the cell unchanged, because what an abbreviation means depends on
 * the number.
 */
const parseTimeZone = (cell: string | undefined, phoneNumber: string | undefined): string | undefined =>
  cell === undefined || phoneNumber === undefined ? cell : requireTimeZone(cell, phoneNumber)

const FieldsWithoutPhone = ContactInput.omit({ phone_number: true, country: true })

/** Rejects an unknown word instead of taking it for an answer, because the person may have opted out. */
const findUnknownWords = (yesNoCells: RowCells['yesNoCells']): RowIssue[] =>
  yesNoCells
    .filter(({ answer }) => answer === undefined)
    .map(({ header, cell }) => ({
      column: header,
      message: `“${cutText(cell, 50)}” isn't recognized. Enter Yes or No. If a form writes this text for a checked box, replace it with Yes.`,
    }))

/** Suffixes that can follow a comma after a name in its usual order: “Jan Roe, Jr.” */
const nameSuffix = /^(?:jr|sr|ii|iii|iv|phd|md|esq|inc|llc|ltd)\.?$/i

function toNames({ first_name, last_name, name }: FieldCells) {
  if (name === undefined || first_name !== undefined || last_name !== undefined) {
    return { first_name, last_name }
  }
  const [family = '', given = '', ...others] = name.split(',').map((part) => part.trim())
  if (family !== '' && given !== '' && others.length === 0 && !nameSuffix.test(given))
    return { first_name: given, last_name: family }
  const [first, ...rest] = name.split(/\s+/)
  return { first_name: first, last_name: rest.join(' ') || undefined }
}

function findHeader(columns: readonly ImportColumn[], field: string): string {
  const [first = '', second = ''] = field.split('.')
  const named = columns.filter((column) => column.field === first || column.variable === second)
  const [match] = named.toSorted((a, b) => a.rank - b.rank)
  return match?.header ?? (first === 'consent' ? 'consent' : '')
}

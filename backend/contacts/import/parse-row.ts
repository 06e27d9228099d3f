import type { ErrorDetail } from '@outdial/contract'
import { chooseCountry, isPlaceholder, readCountry, readDoNotCall } from '@outdial/reading'
import * as z from 'zod'
import { ApiError } from '../../core/errors.ts'
import { invalidField } from '../../core/form-errors.ts'
import { parsePhone, parsePhones } from '../../core/phone.ts'
import { pick } from '../../core/records.ts'
import { validate, withoutFieldName } from '../../core/validate.ts'
import { detailColumns } from '../../db/tables/contact-fields.ts'
import { parseLocalDateField } from '../../scheduling/local-time.ts'
import { ContactInput, requireTimeZone } from '../contact-input.ts'
import type { ImportColumn, ImportField } from './import-columns.ts'

/** An issue in a row. `column` is a header of the file, or empty if the issue isn't about one column. */
export const RowIssue = z.object({ column: z.string(), message: z.string() })
export type RowIssue = z.infer<typeof RowIssue>

/** A contact in a file. `other_numbers` are also added to the do-not-call list, if the person must not be called. */
export const ImportedContact = ContactInput.extend({ other_numbers: z.array(z.string()).default([]) })
export type ImportedContact = z.infer<typeof ImportedContact>

type ParsedRow = { phoneNumber: string; fields: ImportedContact } | { issues: RowIssue[] }

/** How to parse the numbers and dates of a file. */
export interface ImportContext {
  country: string
  timeZone: string
  now: Date
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
  const fieldCells: FieldCells = {}
  const doNotCall: HeadedCell[] = []
  const countries: HeadedCell[] = []
  const variables: [string, string][] = []
  columns.forEach(({ header, field, variable }, index) => {
    const cell = cleanCell(cells[index] ?? '')
    if (cell === '' || (!keepsPlaceholders.has(field) && isPlaceholder(cell))) return
    if (field === 'do_not_call') doNotCall.push({ header, cell })
    else if (field === 'country') countries.push({ header, cell })
    else if (field !== null) fieldCells[field] = cell
    if (variable !== null) variables.push([variable, cell])
  })
  const name = countries.find(({ cell }) => !isCountryCode(cell))
  if (name !== undefined) variables.push(['country', name.cell])
  const mustNotBeCalled = doNotCall.some(({ cell }) => readDoNotCall(cell) === true)
  const parsed = parseNumbers(fieldCells.phone_number ?? '', countries, mustNotBeCalled, context)
  const [phoneNumber, ...otherNumbers] = 'phoneNumbers' in parsed ? parsed.phoneNumbers : []
  const parsedFields = parseFields(
    columns,
    { fieldCells, doNotCall, mustNotBeCalled, variables },
    phoneNumber,
    context,
  )
  if (phoneNumber !== undefined && ('fields' in parsedFields || mustNotBeCalled)) {
    const numbers = { phone_number: phoneNumber, other_numbers: otherNumbers }
    // Someone who must not be called is blocked, whatever else of the row can't be read.
    const fields = 'fields' in parsedFields ? parsedFields.fields : { do_not_call: true }
    return { phoneNumber, fields: { ...fields, ...numbers } }
  }
  const issues = 'issues' in parsedFields ? parsedFields.issues : []
  if ('problem' in parsed) {
    const column = parsed.header ?? findHeader(columns, 'phone_number')
    issues.unshift({ column, message: parsed.problem })
  }
  if (!mustNotBeCalled) return { issues }
  return { issues: issues.map(({ column, message }) => ({ column, message: `Not blocked: ${message}` })) }
}

/** Fields in which “none” or “-” is an answer, or an error. In others, it counts as blank. */
const keepsPlaceholders: ReadonlySet<ImportField | null> = new Set(['phone_number', 'country', 'do_not_call'])

/** Codes help to parse the number. Anything else becomes a variable, because an agent can say it. */
const isCountryCode = (cell: string): boolean => {
  const as = readCountry(cell)?.as
  return as === 'code' || as === 'dial_code'
}

/**
 * Parses the number in the row's country, or all numbers of someone who must not be called. If it isn't clear which country
 * the row names, only numbers with a country code count: others could be a stranger's.
 */
function parseNumbers(
  text: string,
  cells: readonly HeadedCell[],
  mustNotBeCalled: boolean,
  context: ImportContext,
): { phoneNumbers: readonly [string, ...string[]] } | { header?: string; problem: string } {
  if (text === '') return { problem: 'Phone number is missing.' }
  const country = chooseRowCountry(cells, context)
  const code = typeof country === 'string' ? country : null
  const parsed = mustNotBeCalled ? parsePhones(text, code) : parsePhone(text, code)
  if (parsed.ok)
    return { phoneNumbers: 'phoneNumbers' in parsed ? parsed.phoneNumbers : [parsed.phoneNumber] }
  if (typeof country !== 'string') return country
  const { field, message } = parsed.issue
  return { problem: message, ...(field === 'country' && { header: cells[0]?.header }) }
}

function chooseRowCountry(
  cells: readonly HeadedCell[],
  context: ImportContext,
): string | { header: string; problem: string } {
  const [first] = cells
  if (first === undefined) return context.country
  const addCode = 'or add the country code to the phone number.'
  const unknown = cells.find(({ cell }) => readCountry(cell) === undefined)
  if (unknown !== undefined) {
    const problem = `“${unknown.cell.slice(0, 50)}” isn't a known country. Enter its two-letter code, for example US, ${addCode}`
    return { header: unknown.header, problem }
  }
  const country = chooseCountry(cells.flatMap(({ cell }) => readCountry(cell) ?? []))
  if (country !== undefined) return country.code
  const quoted = cells.map(({ cell }) => `“${cell.slice(0, 50)}”`).join(' and ')
  return { header: first.header, problem: `${quoted} are different countries. Correct one, ${addCode}` }
}

/** A cell that isn't blank. Several columns can say that a person has opted out, or name the country. */
interface HeadedCell {
  header: string
  cell: string
}

type FieldCells = Partial<Record<Exclude<ImportField, 'do_not_call' | 'country'>, string>>

/** The cells of a row that aren't blank. */
interface RowCells {
  fieldCells: FieldCells
  doNotCall: readonly HeadedCell[]
  /** True if one of these cells says so. */
  mustNotBeCalled: boolean
  variables: readonly [string, string][]
}

/** Parses everything but the number, so that a row with several issues reports all of them. */
function parseFields(
  columns: readonly ImportColumn[],
  { fieldCells, doNotCall, mustNotBeCalled, variables }: RowCells,
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
  const consent = collect(() => toConsent(fieldCells, context))
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
    ...findUnknownWords(doNotCall),
    ...details.map((detail) => ({
      column: findHeader(columns, detail.field),
      message: withoutFieldName(detail),
    })),
  ]
  return fields !== undefined && issues.length === 0 ? { fields } : { issues }
}

/** Leaves the cell as it is if the number can't be read: what an abbreviation means depends on it. */
const parseTimeZone = (cell: string | undefined, phoneNumber: string | undefined): string | undefined =>
  cell === undefined || phoneNumber === undefined ? cell : requireTimeZone(cell, phoneNumber)

const FieldsWithoutPhone = ContactInput.omit({ phone_number: true, country: true })

/** Removes the apostrophe that Outdial's CSV export puts before text that looks like a formula. */
const cleanCell = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '')

/** Rejects an unknown word instead of taking it for "no", because the person may have opted out. */
const findUnknownWords = (doNotCall: RowCells['doNotCall']): RowIssue[] =>
  doNotCall
    .filter(({ cell }) => readDoNotCall(cell) === undefined)
    .map(({ header, cell }) => ({
      column: header,
      message: `“${cell.slice(0, 50)}” isn't recognized. Enter Yes or No.`,
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

function toConsent({ consent_source: source, consent_at: at }: FieldCells, { timeZone, now }: ImportContext) {
  if (source === undefined && at === undefined) return undefined
  if (source !== undefined && readDoNotCall(source) !== undefined) {
    const message = `“${source}” doesn't say where the person agreed to be called. Enter it, for example “Website form”, or clear this cell and the consent date.`
    throw invalidField('consent_source', 'invalid_value', message)
  }
  if (at === undefined) {
    const message = 'The consent date is missing. Add it in a “Consent date” column, or clear this cell.'
    throw invalidField('consent_source', 'required', message)
  }
  const date = parseLocalDateField('consent_at', at, timeZone)
  if (date > now)
    throw invalidField('consent_at', 'invalid_datetime', 'This date is in the future. Check the year.')
  if (source !== undefined) return { source, at: date.toISOString() }
  const message = 'The consent source is missing. Add it in a “Consent source” column, or clear this cell.'
  throw invalidField('consent_at', 'required', message)
}

function findHeader(columns: readonly ImportColumn[], field: string): string {
  const [first = '', second = ''] = field.split('.')
  const match = columns.find((column) => column.field === first || column.variable === second)
  return match?.header ?? (first === 'consent' ? 'consent' : '')
}

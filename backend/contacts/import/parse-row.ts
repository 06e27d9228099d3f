import type { ErrorDetail } from '@outdial/contract'
import * as z from 'zod'
import { ApiError } from '../../core/errors.ts'
import { invalidField } from '../../core/form-errors.ts'
import { parsePhone } from '../../core/phone.ts'
import { validate, withoutFieldName } from '../../core/validate.ts'
import { parseLocalDateField } from '../../scheduling/local-time.ts'
import { ContactInput } from '../upsert-contact.ts'
import type { ImportColumn, ImportField } from './import-columns.ts'
import { expandTimeZone, parseYesNo } from './parse-cells.ts'

/** An issue in a row. `column` is a header of the file, or empty if the issue isn't about one column. */
export const RowIssue = z.object({ column: z.string(), message: z.string() })
export type RowIssue = z.infer<typeof RowIssue>

type ParsedRow = { phoneNumber: string; fields: ContactInput } | { issues: RowIssue[] }

/** Parses one record of a file into the fields of `POST /contacts/`. Empty cells are omitted. */
export function parseRow(
  columns: readonly ImportColumn[],
  cells: readonly string[],
  workspace: { country: string; timeZone: string },
): ParsedRow {
  const extraCells = cells.slice(columns.length)
  if (extraCells.some((cell) => cell.trim() !== '')) {
    const message = `This row has ${cells.length} cells, but the file has ${columns.length} columns. Put cells that contain commas in quotation marks.`
    return { issues: [{ column: '', message }] }
  }
  const fieldCells: FieldCells = {}
  const variables: [string, string][] = []
  columns.forEach(({ field, variable }, index) => {
    const cell = cleanCell(cells[index] ?? '')
    if (cell === '') return
    if (field !== null) fieldCells[field] = cell
    if (variable !== null) variables.push([variable, cell])
  })
  // Only a country code helps to parse the number. A country's name becomes a variable for the agent.
  const country = /^[A-Za-z]{2}$/.test(fieldCells.country ?? '')
    ? fieldCells.country?.toUpperCase()
    : undefined
  if (fieldCells.country !== undefined && country === undefined)
    variables.push(['country', fieldCells.country])
  const parsed = parsePhone(fieldCells.phone_number ?? '', country ?? workspace.country)
  const parsedFields = parseFields(columns, fieldCells, variables, workspace)
  if (parsed.ok && 'fields' in parsedFields) {
    const { phoneNumber } = parsed
    return { phoneNumber, fields: { ...parsedFields.fields, phone_number: phoneNumber } }
  }
  const otherIssues = 'issues' in parsedFields ? parsedFields.issues : []
  if (parsed.ok) return { issues: otherIssues }
  const message = fieldCells.phone_number === undefined ? 'Phone number is missing.' : parsed.issue.message
  return { issues: [{ column: findHeader(columns, parsed.issue.field), message }, ...otherIssues] }
}

type FieldCells = Partial<Record<ImportField, string>>

/** Parses everything but the number, so that a row with several issues reports all of them. */
function parseFields(
  columns: readonly ImportColumn[],
  fieldCells: FieldCells,
  variables: [string, string][],
  workspace: { country: string; timeZone: string },
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
  const { time_zone: timeZone, do_not_call: doNotCall } = fieldCells
  const isOnList = collect(() => (doNotCall === undefined ? false : requireYesNo(doNotCall)))
  const consent = collect(() => toConsent(fieldCells, workspace.timeZone))
  const fields = collect(() =>
    validate(FieldsWithoutPhone, {
      ...toNames(fieldCells),
      email: fieldCells.email,
      external_id: fieldCells.external_id,
      time_zone: timeZone === undefined ? undefined : expandTimeZone(timeZone, workspace.country),
      ...(isOnList === true && { do_not_call: true }),
      ...(consent !== undefined && { consent }),
      ...(variables.length > 0 && { variables: Object.fromEntries(variables) }),
    }),
  )
  if (fields !== undefined && details.length === 0) return { fields }
  return {
    issues: details.map((detail) => ({
      column: findHeader(columns, detail.field),
      message: withoutFieldName(detail),
    })),
  }
}

const FieldsWithoutPhone = ContactInput.omit({ phone_number: true, country: true })

/** Removes the apostrophe that Outdial's CSV export puts before text that looks like a formula. */
const cleanCell = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '')

/** Rejects an unknown word instead of taking it for "no", because the person may have opted out. */
function requireYesNo(cell: string): boolean {
  const value = parseYesNo(cell)
  if (value !== undefined) return value
  throw invalidField(
    'do_not_call',
    'invalid_value',
    `“${cell.slice(0, 50)}” isn't recognized. Enter Yes or No.`,
  )
}

function toNames({ first_name, last_name, name }: FieldCells) {
  if (name === undefined || first_name !== undefined || last_name !== undefined) {
    return { first_name, last_name }
  }
  const [first, ...rest] = name.split(/\s+/)
  return { first_name: first, last_name: rest.join(' ') || undefined }
}

function toConsent({ consent_source: source, consent_at: at }: FieldCells, timeZone: string) {
  if (source === undefined && at === undefined) return undefined
  if (at === undefined) {
    const message = 'The consent date is missing. Add it in a “Consent date” column, or clear this cell.'
    throw invalidField('consent_source', 'required', message)
  }
  const date = parseLocalDateField('consent_at', at, timeZone)
  if (source !== undefined) return { source, at: date.toISOString() }
  const message = 'The consent source is missing. Add it in a “Consent source” column, or clear this cell.'
  throw invalidField('consent_at', 'required', message)
}

function findHeader(columns: readonly ImportColumn[], field: string): string {
  const [first = '', second = ''] = field.split('.')
  const match = columns.find((column) => column.field === first || column.variable === second)
  return match?.header ?? (first === 'consent' ? 'consent' : '')
}

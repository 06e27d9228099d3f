import * as z from 'zod'
import { ApiError } from '../../core/errors.ts'
import { parsePhone } from '../../core/phone.ts'
import { validate, withoutFieldName } from '../../core/validate.ts'
import { parseLocalTimeField } from '../../scheduling/local-time.ts'
import { ContactInput } from '../upsert-contact.ts'
import type { ImportColumn, ImportField } from './import-columns.ts'

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
  const parsedFields = parseFields(columns, fieldCells, variables, workspace.timeZone)
  if (parsed.ok && 'fields' in parsedFields) {
    const { phoneNumber } = parsed
    return { phoneNumber, fields: { ...parsedFields.fields, phone_number: phoneNumber } }
  }
  const otherIssues = 'issues' in parsedFields ? parsedFields.issues : []
  if (parsed.ok) return { issues: otherIssues }
  const message = fieldCells.phone_number === undefined ? 'Phone number is missing.' : parsed.message
  return { issues: [{ column: findHeader(columns, parsed.field), message }, ...otherIssues] }
}

type FieldCells = Partial<Record<ImportField, string>>

/** Parses everything but the number, so that a row with several issues reports all of them. */
function parseFields(
  columns: readonly ImportColumn[],
  fieldCells: FieldCells,
  variables: [string, string][],
  timeZone: string,
): { fields: Omit<ContactInput, 'phone_number'> } | { issues: RowIssue[] } {
  try {
    const fields = validate(FieldsWithoutPhone, {
      ...toNames(fieldCells),
      email: fieldCells.email,
      external_id: fieldCells.external_id,
      time_zone: fieldCells.time_zone,
      ...(isYes(fieldCells.do_not_call) && { do_not_call: true }),
      ...toConsent(fieldCells, timeZone),
      ...(variables.length > 0 && { variables: Object.fromEntries(variables) }),
    })
    return { fields }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return {
      issues: error.details.map((detail) => ({
        column: findHeader(columns, detail.field),
        message: withoutFieldName(detail),
      })),
    }
  }
}

const FieldsWithoutPhone = ContactInput.omit({ phone_number: true, country: true })

/** Removes the apostrophe that Outdial's CSV export puts before text that looks like a formula. */
const cleanCell = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '')

const isYes = (text: string | undefined): boolean => /^(true|yes|y|1|x)$/i.test(text ?? '')

function toNames({ first_name, last_name, name }: FieldCells) {
  if (name === undefined || first_name !== undefined || last_name !== undefined) {
    return { first_name, last_name }
  }
  const [first, ...rest] = name.split(/\s+/)
  return { first_name: first, last_name: rest.join(' ') || undefined }
}

function toConsent(fieldCells: FieldCells, timeZone: string) {
  const { consent_source: source, consent_at: at } = fieldCells
  if (source === undefined || at === undefined) return {}
  return { consent: { source, at: parseLocalTimeField('consent_at', at, timeZone).toISOString() } }
}

function findHeader(columns: readonly ImportColumn[], field: string): string {
  const [first = '', second = ''] = field.split('.')
  const match = columns.find((column) => column.field === first || column.variable === second)
  return match?.header ?? (first === 'consent' ? 'consent' : '')
}

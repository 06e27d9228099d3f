import { ApiError } from '../../core/errors.ts'
import { validate } from '../../core/validate.ts'
import { readLocalTime } from '../local-input.ts'
import { parsePhone } from '../../core/phone.ts'
import { ContactInput } from '../upsert-contact.ts'
import type { ImportColumn, ImportField } from './import-columns.ts'

/** What is wrong with a row. `column` as it stands in the file; empty where it is none's fault. */
export interface RowProblem {
  column: string
  message: string
}

export type ReadRow = { phoneNumber: string; fields: ContactInput } | { problems: RowProblem[] }

/** Reads one record of a file as `POST /contacts/` would be sent it. What is empty is left out. */
export function readRow(
  columns: readonly ImportColumn[],
  cells: readonly string[],
  workspace: { country: string; timeZone: string },
): ReadRow {
  const extra = cells.slice(columns.length)
  if (extra.some((cell) => cell.trim() !== '')) {
    const message = `The row has ${cells.length} cells, and the file ${columns.length} columns: is a cell with a comma not in quotes?`
    return { problems: [{ column: '', message }] }
  }
  const given: Given = {}
  const variables: [string, string][] = []
  columns.forEach(({ field, variable }, index) => {
    const cell = plain(cells[index] ?? '')
    if (cell === '') return
    if (field !== null) given[field] = cell
    if (variable !== null) variables.push([variable, cell])
  })
  // Spelled out, it is a word for the agent, and says nothing of the number.
  const country = /^[A-Za-z]{2}$/.test(given.country ?? '') ? given.country?.toUpperCase() : undefined
  if (given.country !== undefined && country === undefined) variables.push(['country', given.country])
  const parsed = parsePhone(given.phone_number ?? '', country ?? workspace.country)
  const read = readFields(columns, given, variables, workspace.timeZone)
  if (parsed.ok && 'fields' in read) {
    const { phoneNumber } = parsed
    return { phoneNumber, fields: { ...read.fields, phone_number: phoneNumber } }
  }
  const others = 'problems' in read ? read.problems : []
  if (parsed.ok) return { problems: others }
  const message = given.phone_number === undefined ? 'There is no phone number.' : parsed.message
  return { problems: [{ column: headerOf(columns, parsed.field), message }, ...others] }
}

type Given = Partial<Record<ImportField, string>>

/** All but the number, so that a row with several faults tells each. */
function readFields(
  columns: readonly ImportColumn[],
  given: Given,
  variables: [string, string][],
  timeZone: string,
): { fields: Omit<ContactInput, 'phone_number'> } | { problems: RowProblem[] } {
  try {
    const fields = validate(OtherFields, {
      ...namesOf(given),
      email: given.email,
      external_id: given.external_id,
      time_zone: given.time_zone,
      ...(isYes(given.do_not_call) && { do_not_call: true }),
      ...consentOf(given, timeZone),
      ...(variables.length > 0 && { variables: Object.fromEntries(variables) }),
    })
    return { fields }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return {
      problems: error.details.map(({ field, message }) => ({
        column: headerOf(columns, field),
        message: withoutName(field, message),
      })),
    }
  }
}

const OtherFields = ContactInput.omit({ phone_number: true, country: true })

/** Our own export marks what a spreadsheet program would take for a formula. */
const plain = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '')

const isYes = (text: string | undefined): boolean => /^(true|yes|y|1|x)$/i.test(text ?? '')

function namesOf({ first_name, last_name, name }: Given) {
  if (name === undefined || first_name !== undefined || last_name !== undefined) {
    return { first_name, last_name }
  }
  const [first, ...rest] = name.split(/\s+/)
  return { first_name: first, last_name: rest.join(' ') || undefined }
}

function consentOf(given: Given, timeZone: string) {
  const { consent_source: source, consent_at: at } = given
  if (source === undefined || at === undefined) return {}
  return { consent: { source, at: readLocalTime('consent_at', at, timeZone).toISOString() } }
}

function headerOf(columns: readonly ImportColumn[], field: string): string {
  const [first = '', second = ''] = field.split('.')
  const own = columns.find((column) => column.field === first || column.variable === second)
  return own?.header ?? (first === 'consent' ? 'consent' : '')
}

function withoutName(field: string, message: string): string {
  if (!message.startsWith(`${field} `)) return message
  const rest = message.slice(field.length + 1)
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

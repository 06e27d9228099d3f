import { chooseCountry, readCountry } from '@outdial/reading'
import { parsePhone, parsePhones } from '../../../platform/core/phone.ts'
import { cutText } from '../../../platform/core/text.ts'
import type { RowIssue } from './row-issue.ts'

/** A cell that isn't blank, with the header of its column, because several columns can contain numbers or countries. */
export interface HeadedCell {
  header: string
  cell: string
}

/**
 * The numbers of a row, of which the first is called, with notices about numbers that can't be read. If none can be read, the
 * issues say why.
 */
type RowNumbers =
  { phoneNumbers: readonly [string, ...string[]]; notices: RowIssue[] } | { issues: RowIssue[] }

/**
 * Parses the first readable number in the row's country, or all numbers of someone who must not be called. If it isn't clear
 * which country the row names, only numbers with a country code count, because other numbers could be a stranger's.
 *
 * @param phones in the order of preference
 */
export function parseRowNumbers(
  phones: readonly HeadedCell[],
  countries: readonly HeadedCell[],
  mustNotBeCalled: boolean,
  defaultCountry: string,
): RowNumbers {
  const country = chooseRowCountry(countries, defaultCountry)
  const code = typeof country === 'string' ? country : null
  const numbers: string[] = []
  const issues: RowIssue[] = []
  for (const { header, cell } of phones) {
    const parsed = mustNotBeCalled ? parsePhones(cell, code) : parsePhone(cell, code)
    if (parsed.ok) numbers.push(...('phoneNumbers' in parsed ? parsed.phoneNumbers : [parsed.phoneNumber]))
    else if (typeof country !== 'string') issues.push({ column: country.header, message: country.problem })
    else {
      const isCountry = parsed.issue.field === 'country'
      const column = isCountry ? (countries[0]?.header ?? header) : header
      issues.push({ column, message: parsed.issue.message })
    }
    if (numbers.length > 0 && !mustNotBeCalled) {
      const notices = issues.map((issue) => ({
        column: issue.column,
        message: `${issue.message} The number in “${cutText(header, 100)}” is used instead.`,
      }))
      return { phoneNumbers: [numbers[0] ?? '', ...numbers.slice(1)], notices }
    }
  }
  const [first, ...others] = new Set(numbers)
  if (first === undefined) return { issues: withoutRepeats(issues) }
  return { phoneNumbers: [first, ...others], notices: issues.map(toNotBlocked) }
}

/** Makes an issue say that a number of someone who must not be called won't be on the do-not-call list. */
export const toNotBlocked = ({ column, message }: RowIssue): RowIssue => ({
  column,
  message: `Not blocked: ${message}`,
  kind: 'not_blocked',
})

const withoutRepeats = (issues: readonly RowIssue[]): RowIssue[] => [
  ...new Map(issues.map((issue) => [`${issue.column}\n${issue.message}`, issue])).values(),
]

const maxNamedCountries = 5

function chooseRowCountry(
  cells: readonly HeadedCell[],
  defaultCountry: string,
): string | { header: string; problem: string } {
  const [first] = cells
  if (first === undefined) return defaultCountry
  const addCode = 'or add the country code to the phone number.'
  const unknown = cells.find(({ cell }) => readCountry(cell) === undefined)
  if (unknown !== undefined) {
    const problem = `“${cutText(unknown.cell, 50)}” isn't a known country. Enter its two-letter code, for example US, ${addCode}`
    return { header: unknown.header, problem }
  }
  const country = chooseCountry(cells.flatMap(({ cell }) => readCountry(cell) ?? []))
  if (country !== undefined) return country.code
  const names = [...new Set(cells.map(({ cell }) => cell))].slice(0, maxNamedCountries)
  const quoted = names.map((name) => `“${cutText(name, 50)}”`).join(' and ')
  return { header: first.header, problem: `${quoted} are different countries. Correct one, ${addCode}` }
}

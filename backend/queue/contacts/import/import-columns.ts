import * as z from 'zod'
import { cutText } from '../../../platform/core/text.ts'
import { consentColumns, textColumns } from '../../../platform/db/tables/contact-fields.ts'

/**
 * The fields that a column can contain. `name` is the first and last name in one column. For someone who must not be called,
 * `do_not_call` says yes, or `may_call` says no. A column that contains none of the fields can be a variable.
 */
const importFields = [
  'phone_number',
  'country',
  'name',
  'do_not_call',
  'may_call',
  'consent_given',
  ...textColumns,
  ...consentColumns,
] as const
export type ImportField = (typeof importFields)[number]

export const ImportColumn = z.object({
  header: z.string(),
  field: z.enum(importFields).nullable(),
  /** The name of the variable, if the column isn't a field. If both `field` and `variable` are null, the column is ignored. */
  variable: z.string().nullable(),
  /** The place of a phone column among all phone columns; 0 for other columns. The first readable number of a row is called. */
  rank: z.number().default(0),
  /** True until a person has said what the column contains, because a wrong guess would call someone who opted out. */
  isUnanswered: z.boolean().default(false),
})
export type ImportColumn = z.infer<typeof ImportColumn>

export const ImportColumns = z.array(ImportColumn)

/** Fields that several columns of a file can contain. All of these columns count. */
export const repeatableFields: ReadonlySet<ImportField> = new Set([
  'phone_number',
  'country',
  'do_not_call',
  'may_call',
  'consent_given',
])

/**
 * The header of the column that Outdial adds to files of rejected rows. The column says why each row was rejected. Other
 * programs don't write this header.
 */
export const reasonHeader = 'Outdial: Reason'

/** Returns the columns without the reason column, which is the last one in a file of rejected rows. */
export const withoutReason = <Column extends { header: string }>(columns: readonly Column[]): Column[] =>
  columns.filter(
    ({ header }, index) => index === 0 || index < columns.length - 1 || header.trim() !== reasonHeader,
  )

/** The choices for a column: a field, a variable, or nothing. */
export const ColumnUse = z.enum([...importFields, 'variable', 'ignore'])
export type ColumnUse = z.infer<typeof ColumnUse>

/** A choice for one column. `rank` is the place of a phone column among all phone columns. */
export const ColumnChoice = z.object({ use: ColumnUse, rank: z.number() })
export type ColumnChoice = z.infer<typeof ColumnChoice>

/** Returns the use of a column. Undefined until a person has answered. */
export function getUse(column: ImportColumn): ColumnUse | undefined {
  if (column.isUnanswered) return undefined
  return column.field ?? (column.variable === null ? 'ignore' : 'variable')
}

/** Returns a column with the chosen use. */
export const useColumn = (
  { header }: Pick<ImportColumn, 'header'>,
  { use, rank }: ColumnChoice,
): ImportColumn => ({
  header,
  field: use === 'variable' || use === 'ignore' ? null : use,
  variable: use === 'variable' ? toVariable(header) : null,
  rank: use === 'phone_number' ? rank : 0,
  isUnanswered: false,
})

/** Returns the name of a column's variable, cut to the API's limit. */
export const toVariable = (header: string): string => cutText(header, 100)

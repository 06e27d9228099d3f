import * as z from 'zod'
import { cutText } from '../../../platform/core/text.ts'

/**
 * An issue in a row. `column` is a header of the file, or empty if the issue isn't about one column. `not_blocked` means that a
 * number for the do-not-call list can't be read. `no_consent`, `country`, and `frequency` say why a person isn't called. `file`
 * means that the issue is about the whole file.
 */
export const RowIssue = z.object({
  column: z.string(),
  message: z.string(),
  kind: z.enum(['not_blocked', 'no_consent', 'country', 'frequency', 'file']).optional(),
})
export type RowIssue = z.infer<typeof RowIssue>

/**
 * The maximum number of issues of each kind in a row. A file can have 200 columns, and each row is stored and downloaded with
 * its issues.
 */
const maxIssues = 10

/** Shortens the name of a column, which is stored with each issue. */
export const shortenColumn = (header: string): string => cutText(header, 100)

/** Returns the first issues of each kind in a row, with short names of columns, and how many more there are. */
export function limitIssues(issues: readonly RowIssue[]): RowIssue[] {
  const byKind = Map.groupBy(issues, ({ kind }) => kind)
  return [...byKind].flatMap(([kind, ofKind]) => {
    const more = ofKind.length - maxIssues
    const first = ofKind
      .slice(0, maxIssues)
      .map((issue) => ({ ...issue, column: shortenColumn(issue.column) }))
    if (more <= 0) return first
    const message =
      more === 1 ? 'One more cell of this row has an issue.' : `${more} more cells of this row have issues.`
    return [...first, { column: '', message, ...(kind !== undefined && { kind }) }]
  })
}

/** Returns an issue with the name of its column. */
export const describeIssue = ({ column, message }: RowIssue): string =>
  column === '' ? message : `${shortenColumn(column)}: ${message}`

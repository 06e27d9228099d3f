import * as z from 'zod'

/**
 * An issue in a row. `column` is a header of the file, or empty if the issue isn't about one column. Its kind: a number that
 * should be on the do-not-call list can't be read, a person isn't called because they said no to consent, or it's about the whole
 * file.
 */
export const RowIssue = z.object({
  column: z.string(),
  message: z.string(),
  kind: z.enum(['not_blocked', 'no_consent', 'file']).optional(),
})
export type RowIssue = z.infer<typeof RowIssue>

/** Returns an issue with the name of its column. */
export const describeIssue = ({ column, message }: RowIssue): string =>
  column === '' ? message : `${column.slice(0, 100)}: ${message}`

import * as z from 'zod'

/**
 * An issue in a row. `column` is a header of the file, or empty if the issue isn't about one column. Its kind: a number that
 * should be on the do-not-call list can't be read, or a person isn't called because they said no to consent.
 */
export const RowIssue = z.object({
  column: z.string(),
  message: z.string(),
  kind: z.enum(['not_blocked', 'no_consent']).optional(),
})
export type RowIssue = z.infer<typeof RowIssue>

import type { ErrorDetail } from '@outdial/contract'
import type * as z from 'zod'
import { ApiError } from './errors.ts'
import { toStorableText } from './text.ts'
import { toErrorDetails } from './validate.ts'

/**
 * Options of a zod refinement that report this code and sentence as a detail of the error; the sentence may
 * quote the text that was refused. A value that breaks a rule isn't checked against the next one.
 */
export const rule = (code: string, message: string | ((text: string) => string)) => ({
  error: ({ input }: { input?: unknown }) => (typeof message === 'string' ? message : message(String(input))),
  params: { rule: code },
  abort: true,
})

/** The same for `context.addIssue()` in a `superRefine` or a `transform`. */
export const ruleIssue = (code: string, message: string) => ({
  code: 'custom' as const,
  message,
  params: { rule: code },
})

/** False for text with a NUL character or half of a surrogate pair, which PostgreSQL can't store. */
export const isStorableText = (text: string): boolean => text === toStorableText(text)

/**
 * Finds everything that's wrong with what a person filled in, by a schema whose rules bring their own
 * sentences. A rule about one entry of a list counts for the list: that's the field of the form.
 */
export function findRuleIssues(schema: z.ZodType, input: unknown): ErrorDetail[] {
  const { error } = schema.safeParse(input, { reportInput: true })
  return error === undefined ? [] : describeIssues(error)
}

/**
 * Parses form input with a schema whose rules bring their own messages.
 *
 * @throws {ApiError} validation_failed, with a detail for each broken rule; its message is the first detail's
 */
export function validateByRules<Schema extends z.ZodType>(
  schema: Schema,
  input: z.input<Schema>,
): z.output<Schema> {
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  const details = describeIssues(parsed.error)
  throw new ApiError('validation_failed', details[0]?.message ?? '', { details })
}

/** Only a rule brings a sentence: what a schema of the contract reports reads as in the API. */
function describeIssues({ issues }: z.ZodError): ErrorDetail[] {
  const details = issues.flatMap((issue) => {
    const code: unknown = issue.code === 'custom' ? issue.params?.rule : undefined
    if (typeof code !== 'string') return toErrorDetails([issue])
    return [{ field: String(issue.path[0] ?? ''), code, message: issue.message }]
  })
  // Several entries of a list may break the same rule.
  return [...new Map(details.map((detail) => [`${detail.field} ${detail.message}`, detail])).values()]
}

import type { ErrorDetail } from '@outdial/contract'
import type * as z from 'zod'
import { FormError } from './form-errors.ts'
import { toStorableText } from './text.ts'
import { toErrorDetails } from './validate.ts'

/**
 * Returns options for a zod refinement that report this code and message as an error detail. The message can quote the
 * rejected text. A value that breaks a rule isn't checked against the next one.
 */
export const rule = (code: string, message: string | ((text: string) => string)) => ({
  error: ({ input }: { input?: unknown }) => (typeof message === 'string' ? message : message(String(input))),
  params: { rule: code },
  abort: true,
})

/** Returns an issue with a code and message for `context.addIssue()` in a `superRefine` or a `transform`. */
export const ruleIssue = (code: string, message: string) => ({
  code: 'custom' as const,
  message,
  params: { rule: code },
})

/** Returns false for text with a NUL character or a lone surrogate, which PostgreSQL can't store. */
export const isStorableText = (text: string): boolean => text === toStorableText(text)

/**
 * Finds all issues in form input, using a schema whose rules have their own messages. An issue with an entry of a list
 * names the list, because the whole list is one field of the form.
 */
export function findRuleIssues(schema: z.ZodType, input: unknown): ErrorDetail[] {
  const { error } = schema.safeParse(input, { reportInput: true })
  return error === undefined ? [] : describeIssues(error)
}

/**
 * Parses form input with a schema whose rules have their own messages.
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
  throw new FormError('validation_failed', details[0]?.message ?? '', { details })
}

/** Keeps the messages of rules. Other issues get the same messages as in the API. */
function describeIssues({ issues }: z.ZodError): ErrorDetail[] {
  const details = issues.flatMap((issue) => {
    const code: unknown = issue.code === 'custom' ? issue.params?.rule : undefined
    if (typeof code !== 'string') return toErrorDetails([issue])
    return [{ field: String(issue.path[0] ?? ''), code, message: issue.message }]
  })
  // Several entries of a list may break the same rule.
  return [...new Map(details.map((detail) => [`${detail.field} ${detail.message}`, detail])).values()]
}

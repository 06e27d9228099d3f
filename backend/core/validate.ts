import type { ErrorDetail } from '@outdial/contract'
import type * as z from 'zod'
import { ApiError } from './errors.ts'
import { cleanInput } from '../http/clean.ts'
import { toErrorDetails } from '../http/issues.ts'

/** The most details that one answer lists: a body of a million mistakes must not make a larger answer. */
const maxDetails = 50

/**
 * Reads a parsed body or query string by its schema.
 *
 * @throws {ApiError} unknown_field where nothing else is wrong, else validation_failed, with every detail
 */
export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { value, details: issues } = cleanInput(input)
  if (issues.length > 0) throw validationError(issues)
  const parsed = schema.safeParse(value, { reportInput: true })
  if (parsed.success) return parsed.data
  throw validationError(toErrorDetails(parsed.error.issues))
}

function validationError(details: ErrorDetail[]): ApiError {
  const unknown = details.every((detail) => detail.code === 'unknown_field')
  return new ApiError(unknown ? 'unknown_field' : 'validation_failed', summarizeIssues(details), {
    details: details.slice(0, maxDetails),
  })
}

/** Automations show this sentence and nothing else. */
function summarizeIssues(details: ErrorDetail[]): string {
  const shown = details.slice(0, 3).map((detail) => detail.message)
  const more = details.length - shown.length
  return [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')
}

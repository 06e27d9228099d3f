import type { ErrorDetail } from '@outdial/contract'
import type * as z from 'zod'
import { ApiError } from '../errors.ts'
import { clean } from './clean.ts'
import { detailsOf } from './issues.ts'

/** The most details that one answer lists: a body of a million mistakes must not make a larger answer. */
const mostDetails = 50

/**
 * Reads a parsed body or query string by its schema.
 *
 * @throws {ApiError} unknown_field where nothing else is wrong, else validation_failed, with every detail
 */
export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { value, details: unfit } = clean(input)
  if (unfit.length > 0) throw refuse(unfit)
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw refuse(detailsOf(parsed.error.issues, value))
}

function refuse(details: ErrorDetail[]): ApiError {
  const unknown = details.every((detail) => detail.code === 'unknown_field')
  const [first] = details
  const message =
    details.length === 1 && first
      ? first.message
      : `${details.length} fields of this request need another value.`
  return new ApiError(unknown ? 'unknown_field' : 'validation_failed', message, {
    details: details.slice(0, mostDetails),
  })
}

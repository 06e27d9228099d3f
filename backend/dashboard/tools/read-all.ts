import type { ErrorDetail } from '@outdial/contract'
import { ApiError } from '../../core/errors.ts'

/**
 * Reads the parts of a form, and tells what is wrong with all of them at once.
 *
 * @param otherIssues what else is known to be wrong, told where a part is wrong: else the operation tells it with the rest
 * @throws {ApiError} validation_failed, with the details of every part
 */
export function parseParts<Parts extends Record<string, () => unknown>>(
  parts: Parts,
  otherIssues: readonly ErrorDetail[],
): { [Name in keyof Parts]: ReturnType<Parts[Name]> } {
  const details: ErrorDetail[] = []
  const read = Object.entries(parts).map(([name, part]) => {
    try {
      return [name, part()]
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      details.push(...error.details)
      return [name, undefined]
    }
  })
  const [first] = details
  if (first !== undefined)
    throw new ApiError('validation_failed', first.message, { details: [...details, ...otherIssues] })
  return Object.fromEntries(read) as { [Name in keyof Parts]: ReturnType<Parts[Name]> }
}

import { notFound } from '../core/errors.ts'

/**
 * Reads the id in a path. What is no id names nothing: text, zero, and integers that no number holds.
 *
 * @throws {ApiError} not_found
 */
export function parsePathId(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN
  if (!Number.isSafeInteger(id)) throw notFound('There is nothing with this id in this workspace.')
  return id
}

import { invalidField } from '../core/errors.ts'
import type { DocumentValues } from './knowledge-store.ts'

const maxLengths = { title: 200, body: 200_000 }

/**
 * What is given of a document, without blanks around it.
 *
 * @throws {ApiError} validation_failed where a field is blank, too long or cannot be stored
 */
export function validateDocument<Values extends Partial<DocumentValues>>(values: Values): Values {
  const checked = { ...values }
  for (const field of ['title', 'body'] as const) {
    const text = values[field]
    if (text !== undefined) checked[field] = validateText(field, text)
  }
  return checked
}

function validateText(field: keyof DocumentValues, input: string): string {
  const text = input.trim()
  if (text === '') throw invalidField(field, 'required', `The ${field} of the document is empty.`)
  if (text.length > maxLengths[field]) {
    const message = `The ${field} of the document must have at most ${maxLengths[field]} characters.`
    throw invalidField(field, 'too_long', message)
  }
  if (text.includes('\u0000') || !text.isWellFormed()) {
    throw invalidField(field, 'invalid_text', `The ${field} of the document must be plain text.`)
  }
  return text
}

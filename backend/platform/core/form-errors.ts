import type { CatalogMessage, ErrorCode, ErrorDetail } from '@outdial/contract'
import { ApiError, type FieldIssue } from './errors.ts'

/** An error whose message isn't from the contract's catalog. For the dashboard's pages and forms, and for admin commands. */
export class FormError extends ApiError {
  /** @param message says what happened and what to do */
  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: readonly ErrorDetail[]; headers?: Record<string, string> } = {},
  ) {
    const details = options.details as FieldIssue[] | undefined
    super(code, { ...options, details, message: message as CatalogMessage })
  }
}

/** Returns an error about one field of a form. */
export const invalidField = (field: string, code: string, message: string) =>
  new FormError('validation_failed', message, { details: [{ field, code, message }] })

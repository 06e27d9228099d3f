import { isError } from './is-error.ts'

/** What the log tells of an error. */
export interface ErrorDescription {
  name: string
  message: string
  code?: string
  constraint?: string
  stack?: string
  cause?: ErrorDescription
}

/**
 * Describes an error for the log. PostgreSQL quotes the offending values (phone numbers) in its
 * messages and details: of those errors only the state, the constraint and the frames are told.
 */
export function describeError(error: unknown): ErrorDescription {
  if (!isError(error)) return { name: typeof error, message: 'thrown, but not an Error' }
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '))
  const fromDatabase = 'severity' in error && 'routine' in error
  return {
    name: error.name,
    message: fromDatabase ? 'refused by the database' : error.message,
    ...('code' in error && { code: String(error.code) }),
    ...('constraint' in error && typeof error.constraint === 'string' && { constraint: error.constraint }),
    ...(frames && { stack: frames.join('\n') }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  }
}

import type { Scope } from '@outdial/contract'
import { ApiError } from '../core/errors.ts'
import type { Caller } from '../core/caller.ts'

/**
 * Refuses who was not granted every one of `scopes`, naming what is missing (RFC 6750, section 3.1).
 *
 * @throws {ApiError} insufficient_scope
 */
export function requireScopes(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.filter((scope) => !caller.scopes.includes(scope))
  if (missing.length === 0) return
  throw new ApiError(
    'insufficient_scope',
    `This connection was not allowed to do that. Connect your account again and allow: ${missing.join(', ')}.`,
    {
      headers: {
        'WWW-Authenticate': `Bearer realm="Outdial", error="insufficient_scope", scope="${scopes.join(' ')}"`,
      },
    },
  )
}

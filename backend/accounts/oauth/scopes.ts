import { Scope } from '@outdial/contract'

const allScopes = new Set<string>(Scope.options)

/** Returns the scopes in a `scope` parameter (RFC 6749, section 3.3) that exist. */
export function knownScopes(parameter: string): Scope[] {
  const scopes = parseScopes(parameter)
  return Scope.options.filter((scope) => scopes.has(scope))
}

/** Returns the scopes in a `scope` parameter that don't exist. */
export const unknownScopes = (parameter: string): string[] =>
  [...parseScopes(parameter)].filter((scope) => !allScopes.has(scope))

/**
 * Splits a `scope` parameter. Ignores `offline_access`: it isn't an Outdial scope, but generic clients send it, and every app
 * gets a refresh token anyway.
 */
const parseScopes = (parameter: string): Set<string> =>
  new Set(parameter.split(' ').filter((word) => word !== '' && word !== 'offline_access'))

/** Returns whether a `scope` parameter contains no scopes. */
export const hasNoScopes = (parameter: string): boolean => parseScopes(parameter).size === 0

/** The descriptions of the scopes on the dashboard and the consent page. */
export const scopeDescriptions: Record<Scope, string> = {
  'agents:read': 'See your Live voice agents',
  'campaigns:read': 'See your campaigns',
  'campaigns:write': 'Create campaigns',
  'phone_numbers:read': 'See your phone numbers',
  'contacts:write':
    'Add and update contacts and see their saved data, and queue calls and see their metadata',
  'calls:read': 'See calls with their transcripts, summaries, and recordings',
  'calls:write': 'Cancel waiting calls, and add numbers to the do-not-call list',
  'webhooks:write': 'Receive an event when a call is completed',
}

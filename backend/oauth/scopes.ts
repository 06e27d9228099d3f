import { Scope } from '@outdial/contract'

const allScopes = new Set<string>(Scope.options)

/** Those of a `scope` parameter (RFC 6749, section 3.3) that exist. */
export const knownScopes = (parameter: string): Scope[] =>
  Scope.options.filter((scope) => parseScopes(parameter).has(scope))

/** Those that do not. */
export const unknownScopes = (parameter: string): string[] =>
  [...parseScopes(parameter)].filter((scope) => !allScopes.has(scope))

/**
 * `offline_access` is no scope of ours, but generic clients send it: it asks for nothing that is not given
 * anyway.
 */
const parseScopes = (parameter: string): Set<string> =>
  new Set(parameter.split(' ').filter((word) => word !== '' && word !== 'offline_access'))

/** Whether an app asks for no scope in particular. */
export const hasNoScopes = (parameter: string): boolean => parseScopes(parameter).size === 0

/** What the person who is asked reads. */
export const scopeDescriptions: Record<Scope, string> = {
  'agents:read': 'See your Live voice agents',
  'campaigns:read': 'See your campaigns',
  'campaigns:write': 'Create campaigns',
  'phone_numbers:read': 'See your phone numbers',
  'contacts:write': 'Add and update contacts, and queue calls to them',
  'calls:read': 'See calls with their transcripts, summaries, and recordings',
  'webhooks:write': 'Receive an event when a call is completed',
}

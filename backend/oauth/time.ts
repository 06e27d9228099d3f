import type { Clock } from '../core/clock.ts'

/**
 * oidc-provider reads `Date.now()`, the service its clock. So the columns hold the clock's time, and what
 * the library is told is how long something still lasts, counted from its own now.
 */
export const toLibraryTime = (clock: Clock, at: Date): number =>
  Math.floor(Date.now() / 1000) + Math.ceil((at.getTime() - clock.now().getTime()) / 1000)

/** `seconds` from now, on the service's clock. */
export const secondsFromNow = (clock: Clock, seconds: number): Date =>
  new Date(clock.now().getTime() + seconds * 1000)

/** The library wants a number for what lasts until it is revoked: a hundred years, which is never stored. */
export const untilRevokedSeconds = 100 * 365 * 24 * 60 * 60

import { deleteExpiredIdentities } from '../accounts/identity/delete-expired.ts'
import { deleteExpiredOauthState, endExpiredConnections } from '../accounts/oauth/grants.ts'
import { deleteOldRequests } from '../api/api-log.ts'
import { deleteOldUsage } from '../calling/chats/token-usage.ts'
import type { Deps } from '../deps.ts'
import { hourMs, minuteMs } from '../platform/core/durations.ts'
import { describeError } from '../platform/core/errors.ts'
import { type PeriodicJob, startPeriodicJob } from '../platform/core/periodic.ts'
import { deleteExpiredResponses } from '../platform/idempotency/erase-responses.ts'
import { deleteExpiredImports } from '../queue/contacts/import/erase-imports.ts'
import { deleteOldNumberUse } from '../queue/rules/call-rules.ts'
import { eraseCallbackUrlsOfErasedContacts } from '../webhooks/erase-events.ts'
import { deleteOldSubscriptions } from '../webhooks/subscriptions.ts'

/** Starts a job that deletes expired rows once an hour. Several processes can run it at the same time. */
export const startExpirationJob = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify' | 'log'>,
): PeriodicJob => {
  const { db, clock, log } = deps
  const onError = (error: unknown) =>
    log.error({ error: describeError(error) }, 'failed to delete expired rows')
  return startPeriodicJob(clock, {
    name: 'expiration',
    intervalMs: hourMs,
    maxRunMs: 10 * minuteMs,
    work: async () => {
      const now = clock.now()
      // If one of these functions fails every time, the others still run.
      await deleteExpiredIdentities(db, now).catch(onError)
      await deleteExpiredResponses(db, now).catch(onError)
      await deleteOldRequests(db, now).catch(onError)
      await deleteExpiredImports(db, now).catch(onError)
      await eraseCallbackUrlsOfErasedContacts(db, now).catch(onError)
      await endExpiredConnections(deps, now).catch(onError)
      await deleteOldSubscriptions(db, now).catch(onError)
      await deleteOldNumberUse(db, now).catch(onError)
      await deleteOldUsage(db, now).catch(onError)
    },
    onError,
  })
}

/**
 * Starts a job that deletes expired authorizations every five minutes, because strangers can start any number of them.
 */
export const startAuthorizationCleanup = ({
  db,
  clock,
  log,
}: Pick<Deps, 'db' | 'clock' | 'log'>): PeriodicJob =>
  startPeriodicJob(clock, {
    name: 'authorization_cleanup',
    intervalMs: 5 * minuteMs,
    maxRunMs: 5 * minuteMs,
    work: () => deleteExpiredOauthState({ db }, clock.now()),
    onError: (error) => log.error({ error: describeError(error) }, 'failed to delete expired authorizations'),
  })

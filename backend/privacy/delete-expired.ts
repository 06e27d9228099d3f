import { deleteExpiredResponses } from '../api/erase-responses.ts'
import { deleteExpiredImports } from '../contacts/import/erase-imports.ts'
import { hourMs } from '../core/durations.ts'
import { describeError } from '../core/errors.ts'
import { type PeriodicJob, startPeriodicJob } from '../core/periodic.ts'
import type { Deps } from '../deps.ts'
import { deleteExpiredIdentities } from '../identity/delete-expired.ts'
import { deleteExpiredAuthorizations } from '../oauth/grants.ts'
import { eraseCallbackUrlsOfErasedContacts } from '../webhooks/erase-events.ts'

/** Deletes what expired, each module its own, once an hour. Several processes may do so at once. */
export const startExpirationJob = ({ db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>): PeriodicJob =>
  startPeriodicJob(clock, {
    intervalMs: hourMs,
    work: async () => {
      const now = clock.now()
      await deleteExpiredIdentities(db, now)
      await deleteExpiredResponses(db, now)
      await deleteExpiredImports(db, now)
      await eraseCallbackUrlsOfErasedContacts(db, now)
      await deleteExpiredAuthorizations({ db }, now)
    },
    onError: (error) => log.error({ error: describeError(error) }, 'expired rows were not deleted'),
  })

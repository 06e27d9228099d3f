import { describeError } from '../core/errors.ts'
import { startWorker, type Worker } from '../core/worker.ts'
import type { Deps } from '../deps.ts'
import { deleteUnusedGrants } from '../oauth/grants.ts'
import { eraseCallbackUrlsOfErasedContacts } from './erase-store.ts'
import { deleteExpired } from './retention-store.ts'

const hourMs = 3_600_000

/** So long a caller is told that its token expired, and not that there never was one. */
const credentialRetentionMs = 7 * 24 * hourMs

/** So long who comes late by an invitation or a reset link is told so. */
const linkRetentionMs = 30 * 24 * hourMs

/** Far longer than a code lives: a grant without tokens is then one that the app never fetched. */
const unusedGrantTtlMs = 24 * hourMs

/** Deletes expired sessions, tokens, links and stored answers, once an hour. Several processes may do so at once. */
export const startDeletingExpired = (deps: Pick<Deps, 'db' | 'clock' | 'log'>): Worker =>
  startWorker<never>(deps.clock, {
    fetch: async () => {
      const now = deps.clock.now()
      const ago = (ms: number) => new Date(now.getTime() - ms)
      await deleteExpired(deps.db, {
        now,
        credentials: ago(credentialRetentionMs),
        links: ago(linkRetentionMs),
      })
      await eraseCallbackUrlsOfErasedContacts(deps.db, now)
      await deleteUnusedGrants(deps, ago(unusedGrantTtlMs))
      return []
    },
    handle: async () => {},
    onError: (error) => deps.log.error({ error: describeError(error) }, 'expired rows were not deleted'),
    concurrency: 1,
    batchSize: 1,
    pollMs: hourMs,
  })

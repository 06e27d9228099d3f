import type { Deps } from '../deps.ts'
import { type Caller, getConnectionKey } from '../core/caller.ts'
import { updateApiKeyLastUsed, updateGrantsLastUsed } from './credential-store.ts'

const intervalMs = 60_000

/**
 * Notes, for the lists of keys and connected apps, when a connection was last used: at most once a minute, and off
 * the request's path. A note that could not be written is made up for by a later one.
 */
export function createLastUsedRecorder({ db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>) {
  const recordedAt = new Map<string, number>()

  const record = async ({ workspaceId, userId, apiKeyId, clientId }: Caller, now: Date) => {
    if (apiKeyId !== null) await updateApiKeyLastUsed(db, apiKeyId, now)
    if (clientId !== null) await updateGrantsLastUsed(db, workspaceId, { userId, clientId, now })
  }

  return (caller: Caller): void => {
    const connection = getConnectionKey(caller)
    const now = clock.now()
    if (now.getTime() - (recordedAt.get(connection) ?? -Infinity) < intervalMs) return
    recordedAt.set(connection, now.getTime())
    record(caller, now).catch(() => {
      recordedAt.delete(connection)
      log.debug({ connection }, 'last use not noted')
    })
  }
}

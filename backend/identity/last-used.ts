import type { Deps } from '../deps.ts'
import { type Caller, connectionOf } from '../core/caller.ts'
import { touchApiKey, touchGrants } from './credential-store.ts'

const everyMs = 60_000

/**
 * Notes, for the lists of keys and connected apps, when a connection was last used: at most once a minute, and off
 * the request's path. A note that could not be written is made up for by a later one.
 */
export function createLastUsed({ db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>) {
  const noted = new Map<string, number>()

  const touch = async ({ workspaceId, userId, apiKeyId, clientId }: Caller, now: Date) => {
    if (apiKeyId !== null) await touchApiKey(db, apiKeyId, now)
    if (clientId !== null) await touchGrants(db, workspaceId, { userId, clientId, now })
  }

  return (caller: Caller): void => {
    const connection = connectionOf(caller)
    const now = clock.now()
    if (now.getTime() - (noted.get(connection) ?? -Infinity) < everyMs) return
    noted.set(connection, now.getTime())
    touch(caller, now).catch(() => {
      noted.delete(connection)
      log.debug({ connection }, 'last use not noted')
    })
  }
}

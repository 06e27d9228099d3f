import type { Deps } from '../deps.ts'
import type { Caller } from './caller.ts'
import { touchApiKey } from './credential-store.ts'

const everyMs = 60_000

/**
 * Notes, for the list of keys, when a key was last used: at most once a minute, and off the request's
 * path. A note that could not be written is made up for by a later one.
 */
export function createLastUsed({ db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>) {
  const noted = new Map<number, number>()

  return ({ apiKeyId }: Caller): void => {
    if (apiKeyId === null) return
    const now = clock.now()
    if (now.getTime() - (noted.get(apiKeyId) ?? -Infinity) < everyMs) return
    noted.set(apiKeyId, now.getTime())
    touchApiKey(db, apiKeyId, now).catch(() => {
      noted.delete(apiKeyId)
      log.debug({ api_key_id: apiKeyId }, 'last use not noted')
    })
  }
}

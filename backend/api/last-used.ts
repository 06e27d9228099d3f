import { LRUCache } from 'lru-cache'
import { recordApiKeyUse } from '../accounts/identity/api-keys.ts'
import { recordGrantUse } from '../accounts/oauth/grants.ts'
import type { Deps } from '../deps.ts'
import { type Caller, getConnectionKey } from '../platform/core/caller.ts'
import { minuteMs } from '../platform/core/durations.ts'

/** The minimum time between two updates of a connection's last use. */
const lastUsedIntervalMs = minuteMs

/**
 * Records when a connection was last used, for the lists of API keys and connected apps. Writes at most once a minute, and
 * requests don't wait for it. If a write fails, the next request writes again.
 *
 * @param options.maxConnections how many connections to remember; with more, the last use is written more often than once a
 * minute
 */
export function createLastUsedRecorder(
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  { maxConnections = 20_000 }: { maxConnections?: number } = {},
) {
  const { clock, log } = deps
  const recordedAt = new LRUCache<string, number>({ maxSize: maxConnections, sizeCalculation: () => 1 })

  const record = async ({ workspaceId, userId, apiKeyId, clientId }: Caller, now: Date) => {
    if (apiKeyId !== null) await recordApiKeyUse(deps, apiKeyId, now)
    if (clientId !== null) await recordGrantUse(deps, workspaceId, userId, clientId, now)
  }

  return (caller: Caller): void => {
    const connection = getConnectionKey(caller)
    const now = clock.now()
    const previous = recordedAt.get(connection)
    if (previous !== undefined && now.getTime() - previous < lastUsedIntervalMs) return
    recordedAt.set(connection, now.getTime())
    record(caller, now).catch(() => {
      recordedAt.delete(connection)
      log.debug({ connection }, 'failed to record the last use of a connection')
    })
  }
}

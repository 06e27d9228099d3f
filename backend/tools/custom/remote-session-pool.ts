import { rejectOnAbort } from '../../platform/core/abort.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { RemoteSession } from './connect-remote.ts'
import { isErrorResponse } from './remote-failure.ts'

interface PooledSession {
  connecting: Promise<RemoteSession>
  uses: number
  retired: boolean
  /** Cancels the idle timer when the next use starts. */
  idleWaitController: AbortController | undefined
  closing: Promise<void> | undefined
}

interface UseSignals {
  /** Aborts when the caller cancels, which doesn't mean that the session failed. */
  callerSignal: AbortSignal
  /** Aborts when the caller cancels or the use times out. */
  timeoutSignal: AbortSignal
}

/** Sessions with remote servers, kept open between uses because opening one takes several messages. */
export interface RemoteSessionPool {
  /**
   * Runs `work` in the session with this key, and opens the session if necessary. A failure ends the session, so that the next
   * use opens another one. An error response, or cancellation by the caller, doesn't end the session.
   */
  use<Result>(
    key: string,
    open: () => Promise<RemoteSession>,
    work: (session: RemoteSession) => Promise<Result>,
    signals: UseSignals,
  ): Promise<Result>
  close(): Promise<void>
}

export function createRemoteSessionPool(options: { idleMs: number; clock: Clock }): RemoteSessionPool {
  const sessions = new Map<string, PooledSession>()

  const retire = (key: string, pooled: PooledSession) => {
    pooled.retired = true
    pooled.idleWaitController?.abort()
    if (sessions.get(key) === pooled) sessions.delete(key)
  }
  const close = (pooled: PooledSession): Promise<void> =>
    (pooled.closing ??= pooled.connecting.then(
      (session) => session.close(),
      () => {}, // `use` has thrown the error
    ))
  const addSession = (key: string, open: () => Promise<RemoteSession>): PooledSession => {
    const pooled: PooledSession = {
      connecting: open(),
      uses: 0,
      retired: false,
      idleWaitController: undefined,
      closing: undefined,
    }
    sessions.set(key, pooled)
    pooled.connecting.then(
      ({ disconnected }) => disconnected.addEventListener('abort', () => retire(key, pooled)),
      () => retire(key, pooled),
    )
    return pooled
  }
  const expireWhenIdle = async (key: string, pooled: PooledSession) => {
    const idleWaitController = new AbortController()
    pooled.idleWaitController = idleWaitController
    await options.clock.wait(options.idleMs, idleWaitController.signal)
    if (idleWaitController.signal.aborted) return
    retire(key, pooled)
    await close(pooled)
  }

  return {
    use: async (key, open, work, { callerSignal, timeoutSignal }) => {
      const pooled = sessions.get(key) ?? addSession(key, open)
      pooled.uses += 1
      pooled.idleWaitController?.abort()
      try {
        return await work(await rejectOnAbort(pooled.connecting, timeoutSignal))
      } catch (error) {
        if (!isErrorResponse(error) && !callerSignal.aborted) retire(key, pooled)
        throw error
      } finally {
        pooled.uses -= 1
        if (pooled.uses === 0) void (pooled.retired ? close(pooled) : expireWhenIdle(key, pooled))
      }
    },
    close: async () => {
      const all = [...sessions]
      for (const [key, pooled] of all) retire(key, pooled)
      await Promise.all(all.map(([, pooled]) => close(pooled)))
    },
  }
}

import type { Clock } from '../../core/clock.ts'
import { isAnswer } from './remote-errors.ts'
import type { RemoteSession } from './connect-remote.ts'
import { orAbort } from '../kinds/remote-mcp/or-abort.ts'

interface Kept {
  opening: Promise<RemoteSession>
  uses: number
  retired: boolean
  /** Ends the rest between two uses. */
  resting: AbortController | undefined
  ending: Promise<void> | undefined
}

export interface UseSignals {
  /** Of who waits: giving up says nothing about the session. */
  given: AbortSignal
  /** The same, and the time limit of the use. */
  limited: AbortSignal
}

/** Sessions with remote servers, kept between uses: to open one takes several messages. */
export interface RemoteSessions {
  /**
   * Does `work` in the session of this key, which is opened where there is none. What fails otherwise than by an
   * answer, or by the signal of who gave up waiting, ends the session: the next use opens another.
   */
  use<Result>(
    key: string,
    open: () => Promise<RemoteSession>,
    work: (session: RemoteSession) => Promise<Result>,
    signals: UseSignals,
  ): Promise<Result>
  close(): Promise<void>
}

export function createRemoteSessions(options: { idleMs: number; clock: Clock }): RemoteSessions {
  const sessions = new Map<string, Kept>()

  const retire = (key: string, kept: Kept) => {
    kept.retired = true
    kept.resting?.abort()
    if (sessions.get(key) === kept) sessions.delete(key)
  }
  const end = (kept: Kept): Promise<void> =>
    (kept.ending ??= kept.opening.then(
      (session) => session.close(),
      () => {}, // who asked for it was told
    ))
  const keep = (key: string, open: () => Promise<RemoteSession>): Kept => {
    const kept: Kept = { opening: open(), uses: 0, retired: false, resting: undefined, ending: undefined }
    sessions.set(key, kept)
    kept.opening.then(
      ({ broken }) => broken.addEventListener('abort', () => retire(key, kept)),
      () => retire(key, kept),
    )
    return kept
  }
  const rest = async (key: string, kept: Kept) => {
    const resting = new AbortController()
    kept.resting = resting
    await options.clock.wait(options.idleMs, resting.signal)
    if (resting.signal.aborted) return
    retire(key, kept)
    await end(kept)
  }

  return {
    use: async (key, open, work, { given, limited }) => {
      const kept = sessions.get(key) ?? keep(key, open)
      kept.uses += 1
      kept.resting?.abort()
      try {
        return await work(await orAbort(kept.opening, limited))
      } catch (error) {
        if (!isAnswer(error) && !given.aborted) retire(key, kept)
        throw error
      } finally {
        kept.uses -= 1
        if (kept.uses === 0) void (kept.retired ? end(kept) : rest(key, kept))
      }
    },
    close: async () => {
      const all = [...sessions]
      for (const [key, kept] of all) retire(key, kept)
      await Promise.all(all.map(([, kept]) => end(kept)))
    },
  }
}

import type { Deps } from '../../deps.ts'
import { ApiError } from '../../core/errors.ts'
import { createTries } from '../../sign-in/attempt-limit.ts'

/**
 * Counts wrong passwords on the account's page, by session: who found one open cannot guess on, and keeps the
 * account's owner out of nothing.
 */
export function createPasswordGuard({ clock }: Pick<Deps, 'clock'>) {
  const tries = createTries(clock, { max: 10, windowMs: 5 * 60 * 1000 })

  /** @throws {ApiError} rate_limited after ten failures within five minutes */
  return async <Result>(sessionHash: Buffer, work: () => Promise<Result>): Promise<Result> => {
    const key = sessionHash.toString('hex')
    if (!tries.take(key)) throw tooMany()
    const result = await work()
    tries.clear(key)
    return result
  }
}

export type PasswordGuard = ReturnType<typeof createPasswordGuard>

const tooMany = () =>
  new ApiError('rate_limited', 'There were too many attempts: wait five minutes, then try again.')

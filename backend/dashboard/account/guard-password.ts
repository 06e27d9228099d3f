import type { Deps } from '../../deps.ts'
import { ApiError } from '../../core/errors.ts'
import { createAttemptLimit } from '../../sign-in/attempt-limit.ts'

/**
 * Counts wrong passwords on the account's page, by session: who found one open cannot guess on, and keeps the
 * account's owner out of nothing.
 */
export function createPasswordAttemptLimit({ clock }: Pick<Deps, 'clock'>) {
  const attempts = createAttemptLimit(clock, { max: 10, windowMs: 5 * 60 * 1000 })

  /** @throws {ApiError} rate_limited after ten failures within five minutes */
  return async <Result>(sessionHash: Buffer, work: () => Promise<Result>): Promise<Result> => {
    const key = sessionHash.toString('hex')
    if (!attempts.consume(key)) throw tooManyAttempts()
    const result = await work()
    attempts.clear(key)
    return result
  }
}

export type PasswordAttemptLimit = ReturnType<typeof createPasswordAttemptLimit>

const tooManyAttempts = () =>
  new ApiError('rate_limited', 'There were too many attempts: wait five minutes, then try again.')

import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { InProgress, maxShare } from '../core/in-progress.ts'
import { getOwners } from './body-shares.ts'
import type { OverloadState } from './overload.ts'

/** Limits how many requests a process handles at the same time, and how many of them one workspace has. */
interface RequestShares {
  /**
   * Counts a request. Returns a function that stops counting it.
   *
   * @throws {ApiError} unavailable if there are too many, rate_limited if its workspace has too many
   */
  take(request: FastifyRequest): () => void
}

/**
 * Creates the shares of `max` requests. One workspace can't use all of them: even while it sends more than the process can
 * handle, capacity remains for other workspaces.
 */
export function createRequestShares(max: number, overload: OverloadState): RequestShares {
  const inProgress = new InProgress<string | null>()
  const share = maxShare(max)
  return {
    take: (request) => {
      const owner = getOwner(request)
      if (owner !== null && inProgress.of(owner) >= share)
        throw new ApiError('rate_limited.in_progress', {
          values: { limit: share },
          headers: { 'Retry-After': '1' },
        })
      if (inProgress.total >= max) {
        overload.add('requests')
        throw new ApiError('unavailable', { headers: { 'Retry-After': '1' } })
      }
      return inProgress.add(owner)
    },
  }
}

/** Returns a key for the request's workspace. For pages, it's the user's key; for reports of agent runtimes, the attempt's. */
function getOwner(request: FastifyRequest): string | null {
  const [owner] = getOwners(request)
  if (owner !== undefined) return owner
  // The request hasn't been authenticated yet, so its unverified credential is the key.
  const { authorization, cookie } = request.headers
  const credential = authorization ?? cookie
  return credential === undefined ? null : `headers ${credential}`
}

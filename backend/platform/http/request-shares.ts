import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { InProgress, maxShare } from '../core/in-progress.ts'
import { getOwners } from './body-shares.ts'
import type { OverloadState } from './overload.ts'

/** Limits how many requests a process handles at the same time, and how many of them one workspace has. */
interface RequestShares {
  /**
   * Counts a request. Returns a function that ends this.
   *
   * @throws {ApiError} unavailable if there are too many, rate_limited if its workspace has too many
   */
  take(request: FastifyRequest): () => void
}

/**
 * Creates the shares of `max` requests. A workspace doesn't use all of it: while it sends more than the process can handle,
 * some requests remain for other workspaces.
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

/** Returns a key for the workspace. For pages and reports of runtimes, it's the user or attempt. */
function getOwner(request: FastifyRequest): string | null {
  const [owner] = getOwners(request)
  if (owner !== undefined) return owner
  // The credential hasn't been looked up yet.
  const { authorization, cookie } = request.headers
  const credential = authorization ?? cookie
  return credential === undefined ? null : `headers ${credential}`
}

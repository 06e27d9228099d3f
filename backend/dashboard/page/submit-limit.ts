import type { FastifyReply } from 'fastify'
import type { Deps } from '../../deps.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { InProgress } from '../../platform/core/in-progress.ts'
import { createRateLimits } from '../../platform/replicas/rate-limits.ts'

const windowSeconds = 60

/** Maximum number of forms that a user can submit in a minute. It stops scripts. People submit far fewer. */
const maxSubmits = 300

/** Maximum number of forms per user and minute that read files, compile schemas, or use the network. */
const maxCostlySubmits = 60

/**
 * Maximum number of pages that a user can open in a minute, including parts of pages. Live pages load themselves every
 * 1 to 5 seconds, so twenty of the fastest together load 1,200 times a minute.
 */
const maxPages = 1_800

/** Creates a function that counts an opened page. It throws a FormError (`rate_limited`) if the user opened too many. */
export function createPageLimit(deps: Pick<Deps, 'clock' | 'replicas'>) {
  const countPage = createRateLimits(deps, { limits: { pages: maxPages }, windowSeconds })

  return async (userId: number, reply: FastifyReply): Promise<void> => {
    const [quota] = await countPage(String(userId))
    if (quota?.exceeded !== true) return
    reply.header('Retry-After', String(quota.resetSeconds))
    throw new FormError(
      'rate_limited',
      `You opened more than ${quota.limit} pages in a minute. Wait a minute, then try again.`,
    )
  }
}

/** Creates a function that counts a submitted form. It throws a FormError (`rate_limited`) if the user submitted too many. */
export function createSubmitLimit(deps: Pick<Deps, 'clock' | 'replicas'>) {
  const countSubmit = createRateLimits(deps, {
    limits: { submits: maxSubmits, costly_submits: maxCostlySubmits },
    windowSeconds,
  })

  return async (userId: number, reply: FastifyReply, isCostly: boolean): Promise<void> => {
    const key = String(userId)
    const quotas = await (isCostly ? countSubmit(key, key) : countSubmit(key))
    const [, costlyQuota] = quotas
    const exceeded = quotas.find((quota) => quota.exceeded)
    if (exceeded === undefined) return
    reply.header('Retry-After', String(exceeded.resetSeconds))
    const forms = exceeded === costlyQuota ? 'uploads or other slow forms' : 'forms'
    throw new FormError(
      'rate_limited',
      `You submitted more than ${exceeded.limit} ${forms} in a minute. Wait a minute, then try again.`,
    )
  }
}

/** Maximum number of a workspace's costly forms in progress. Some of them wait for another server for 15 seconds. */
const maxCostlyInProgress = 10

/** Creates a function that handles a costly form. It throws a FormError (`rate_limited`) if too many are in progress. */
export function createCostlyLimit() {
  const inProgress = new InProgress<number>()
  return async <Result>(workspaceId: number, work: () => Promise<Result>): Promise<Result> => {
    const others = inProgress.of(workspaceId)
    if (others >= maxCostlyInProgress)
      throw new FormError(
        'rate_limited',
        `Your workspace is already processing ${others} uploads or other slow requests. Wait for one to finish, then try again.`,
      )
    const remove = inProgress.add(workspaceId)
    try {
      return await work()
    } finally {
      remove()
    }
  }
}

import type { FastifyReply } from 'fastify'
import { createRateLimit } from '../../api/rate-limit.ts'
import { FormError } from '../../core/form-errors.ts'
import type { Deps } from '../../deps.ts'

const windowSeconds = 60

/** Submitted forms per user and minute. People stay far below; a script that submits forms doesn't. */
const maxSubmits = 300

/** The same for forms that read files, compile schemas, or use the network. */
const maxCostlySubmits = 60

/** Creates a function that counts a submitted form. It throws a FormError (`rate_limited`) if there were too many. */
export function createSubmitLimit({ clock }: Pick<Deps, 'clock'>) {
  const countSubmit = createRateLimit(clock, { limit: maxSubmits, windowSeconds })
  const countCostlySubmit = createRateLimit(clock, { limit: maxCostlySubmits, windowSeconds })

  return (userId: number, reply: FastifyReply, isCostly: boolean): void => {
    const quotas = [countSubmit(String(userId)), ...(isCostly ? [countCostlySubmit(String(userId))] : [])]
    const exceeded = quotas.find((quota) => quota.exceeded)
    if (exceeded === undefined) return
    reply.header('Retry-After', String(exceeded.resetSeconds))
    throw new FormError(
      'rate_limited',
      `You submitted this kind of form more than ${exceeded.limit} times in a minute. Wait a minute before you try again.`,
    )
  }
}

import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { InProgress } from '../core/in-progress.ts'
import { type HttpLimits, megabyte } from './http-limits.ts'
import type { SlowClientLog } from './slow-client-log.ts'

/**
 * Creates a function that counts the bytes of a form with a file for its user, until the form is handled. The function throws
 * an ApiError (`rate_limited`) if the user sends too many bytes at the same time.
 */
export function createUploadShares(
  { maxUploadBytesPerUser: max }: HttpLimits,
  { slowClients }: { slowClients: SlowClientLog },
) {
  const bytes = new InProgress<string>()
  return (user: string, { headers, ip, raw }: FastifyRequest, res: ServerResponse): void => {
    const length = Math.min(Number(headers['content-length'] ?? max), max)
    if (bytes.of(user) + length > max) {
      slowClients.add(ip, 'rejected')
      throw new ApiError('rate_limited.uploads', {
        values: { limit: Math.floor(max / megabyte) },
        headers: { 'Retry-After': '5' },
      })
    }
    const remove = bytes.add(user, length)
    if (raw.destroyed) remove()
    else res.once('close', remove)
  }
}

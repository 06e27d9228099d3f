import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { Route } from './route.ts'

/** The methods that exist at an address, with what HTTP adds to them; empty where there is no such address. */
type AllowedMethods = (pathname: string) => string[]

/** Looks methods up in the table. `prefix` is where it is mounted. */
export function allowedMethods(
  routes: readonly Pick<Route, 'method' | 'path'>[],
  prefix: string,
): AllowedMethods {
  const patterns = routes.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${prefix}${path.replace(/\/$/, '').replace(/:id/, '[^/]+')}/?$`),
  }))
  return (pathname) => {
    const methods = patterns.filter(({ pattern }) => pattern.test(pathname)).map(({ method }) => method)
    if (methods.length === 0) return []
    return [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].sort()
  }
}

/** Answers what no route took: OPTIONS with the methods, another method with 405, another address with 404. */
export function answerUnrouted(allowed: AllowedMethods, request: FastifyRequest, reply: FastifyReply): void {
  const [pathname = ''] = request.url.split('?')
  const methods = allowed(pathname)
  if (methods.length === 0) throw new ApiError('not_found', 'There is nothing at this address.')

  const headers = { Allow: methods.join(', ') }
  if (request.method === 'OPTIONS') {
    void reply.code(204).headers(headers).send()
    return
  }
  throw new ApiError(
    'method_not_allowed',
    `${request.method} is not possible here; ${methods.join(', ')} are.`,
    { headers },
  )
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'

/** Returns the methods that a path supports, including OPTIONS. Empty if the path doesn't exist. */
type GetAllowedMethods = (pathname: string) => string[]

/** Records every route that's registered after this call. Returns a function that looks up the methods of a path. */
export function trackAllowedMethods(app: FastifyInstance): GetAllowedMethods {
  const mounted: { pattern: RegExp; methods: string[] }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    mounted.push({ pattern: toPattern(url), methods: [method].flat() })
  })
  return (pathname) => {
    const methods = mounted.filter(({ pattern }) => pattern.test(pathname)).flatMap((route) => route.methods)
    return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].sort()
  }
}

function toPattern(url: string): RegExp {
  const escaped = url.replace(/\/$/, '').replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replace(/:\w+/g, '[^/]+').replace(/\*$/, '.*')}/?$`)
}

/** Returns true if a person's browser asks for a path that doesn't exist and isn't below /api/. */
export const isPageRequest = (
  getAllowedMethods: GetAllowedMethods,
  { method, url, headers }: Pick<FastifyRequest, 'method' | 'url' | 'headers'>,
): boolean => {
  const [pathname = ''] = url.split('?')
  return (
    ['GET', 'HEAD'].includes(method) &&
    headers.accept?.includes('text/html') === true &&
    !pathname.startsWith('/api/') &&
    getAllowedMethods(pathname).length === 0
  )
}

/** Handles a request that no route matches: OPTIONS, a method that the path doesn't support, or an unknown path. */
export function handleUnmatchedRequest(
  getAllowedMethods: GetAllowedMethods,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const [pathname = ''] = request.url.split('?')
  const methods = getAllowedMethods(pathname)
  if (request.method === 'OPTIONS' && methods.length > 0) {
    void reply.code(204).header('Allow', methods.join(', ')).send()
    return
  }
  // If the method is supported, the route serves files, and the requested file doesn't exist.
  if (methods.length === 0 || methods.includes(request.method)) {
    throw new ApiError('not_found.url')
  }
  throw new ApiError('method_not_allowed', {
    values: { method: request.method, methods: formatMethods(methods) },
    headers: { Allow: methods.join(', ') },
  })
}

/** Formats a list of methods, for example `GET, OPTIONS, or POST`. */
const formatMethods = (methods: string[]): string =>
  new Intl.ListFormat('en-US', { type: 'disjunction' }).format(methods)

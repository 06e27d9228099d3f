import type { FastifyInstance } from 'fastify'
import { apiPrefix, routes as apiRoutes } from '../../api/routes.ts'

/** Routes that everyone may use. Their responses have no data of a workspace. */
export const publicRoutes = [
  'GET /healthz',
  'GET /readyz',
  'GET /metrics', // only from this machine or with METRICS_TOKEN: test/metrics/
  `GET ${apiPrefix}/openapi.json`,
  'GET /assets/htmx.js',
  'GET /.well-known/oauth-authorization-server',
  'GET /docs',
  'GET /',
  'GET /sign-in',
  'GET /sign-up',
]

/** Returns a route's name in the format of `listRoutes`, which leaves out a slash at the end because Fastify ignores it. */
export const routeName = ({ method, path }: { method: string; path: string }): string =>
  `${method} ${path.replace(/(?<=.)\/$/, '')}`

/** Returns the names of the API's routes. */
export const listApiRoutes = (): string[] =>
  apiRoutes.map(({ method, path }) => routeName({ method, path: `${apiPrefix}${path}` }))

/** Returns the names of Fastify's routes, from the tree that it prints. Each line adds to the path of its parent. */
export function listRoutes(service: FastifyInstance): string[] {
  const found: string[] = []
  const prefixes: string[] = []
  for (const line of service.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = '', methods = ''] =
      /^((?:│ {3}| {4})*)[├└]── (.+?) \(([A-Z, ]+)\)/.exec(line) ?? []
    if (part === '') continue
    const depth = indent.length / 4
    const path = `${depth === 0 ? '' : (prefixes[depth - 1] ?? '')}${part}`
    prefixes[depth] = path
    for (const method of methods.split(', '))
      if (!['HEAD', 'OPTIONS'].includes(method) && !part.endsWith('*')) found.push(`${method} ${path}`)
  }
  return found
}

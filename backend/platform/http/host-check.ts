import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { ApiError } from '../core/errors.ts'
import { loopbackHosts } from '../core/loopback.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set for routes that do nothing without a valid bearer token. */
    requiresBearer?: boolean
  }
}

type HostConfig = Pick<Config, 'publicUrl' | 'internalUrl' | 'host' | 'allowedHosts'>

/**
 * Returns a function that says whether a Host header names this service or this machine. Any web page can make its
 * visitor's browser send other names here (DNS rebinding).
 */
export function createKnownHosts(config: HostConfig): (host: string | undefined) => boolean {
  const configuredHosts = [
    new URL(config.publicUrl).hostname,
    new URL(config.internalUrl).hostname,
    config.host,
    ...config.allowedHosts,
  ]
  const names = new Set(
    [...loopbackHosts, ...configuredHosts.map(parseHostname)].map((name) => name.toLowerCase()),
  )
  // These values of HOST mean all addresses. No client uses them as a hostname.
  for (const name of ['0.0.0.0', '[::]']) names.delete(name)
  return (host) => host !== undefined && names.has(parseHostname(host).toLowerCase())
}

/** Returns a host without its port. Adds the brackets of an IPv6 address (RFC 3986, section 3.2.2) that HOST doesn't have. */
const parseHostname = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host.replace(/:\d+$/, ''))

/** Routes that accept any Host header: load balancers check them by any name or address, and their responses reveal nothing. */
const probes = new Set<string | undefined>(['/healthz', '/readyz'])

/** The path of the page that anyone could use without a credential while the installation has no user. */
const signUpPath = '/sign-up'

/**
 * Rejects requests that a web page could have made its visitor's browser send by DNS rebinding. Checks only what the page's
 * author can't reach without the browser: all routes of an installation that only its own machine can reach
 * (`isLoopbackOnly`), and the sign-up page of a new installation in an internal network.
 *
 * DNS rebinding needs a name in the URL, so requests to an IP address are accepted. A page doesn't know a valid bearer token,
 * so routes that do nothing without a token accept any name. On the sign-up page, a proxy's requests accept any name, because
 * the proxy chooses it. With `isLoopbackOnly`, they don't, because a proxy's address would be the same as the browser's.
 */
export function requireKnownHost(
  app: FastifyInstance,
  config: HostConfig & Pick<Config, 'isLoopbackOnly'>,
  isProxy: (address: string) => boolean,
): void {
  const isKnown = createKnownHosts(config)
  const isChecked = ({ socket, routeOptions: { url, config: route } }: FastifyRequest) =>
    config.isLoopbackOnly
      ? !probes.has(url) && route.requiresBearer !== true
      : url === signUpPath && !isProxy(socket.remoteAddress ?? '')

  app.addHook('onRequest', (request, _reply, done) => {
    const { host } = request.raw.headers
    if (isChecked(request) && !isKnown(host) && !isAddress(host)) throw new ApiError('malformed_json.host')
    done()
  })
}

const isAddress = (host = ''): boolean => {
  const name = parseHostname(host)
  return isIP(name.startsWith('[') ? name.slice(1, -1) : name) !== 0
}

import type { IncomingHttpHeaders } from 'node:http'
import { isIPv6 } from 'node:net'
import type { Config } from '../config.ts'
import { loopbackHosts } from '../core/loopback.ts'
import { ToolServerError } from './tool-server-error.ts'

/**
 * Creates a check that rejects requests whose Host, or Origin if a browser sends one, isn't this service's or this
 * machine's. Otherwise any web page could reach the tools through its visitor's browser (DNS rebinding).
 *
 * @throws {ToolServerError} origin_not_allowed
 */
export function createHostCheck(config: Pick<Config, 'publicUrl' | 'internalUrl' | 'host' | 'allowedHosts'>) {
  const configuredHosts = [
    new URL(config.publicUrl).hostname,
    new URL(config.internalUrl).hostname,
    config.host,
    ...config.allowedHosts,
  ]
  const allowedNames = new Set(
    [...loopbackHosts, ...configuredHosts.map(parseHostname)].map((name) => name.toLowerCase()),
  )
  // As values of HOST, these mean all addresses. No client uses them as a hostname.
  for (const name of ['0.0.0.0', '[::]']) allowedNames.delete(name)
  const isAllowed = (host: string | undefined) =>
    host !== undefined && allowedNames.has(parseHostname(host).toLowerCase())

  return ({ host, origin }: IncomingHttpHeaders): void => {
    if (!isAllowed(host)) throw new ToolServerError('origin_not_allowed.host')
    if (origin !== undefined && !isAllowed(parseOriginHost(origin)))
      throw new ToolServerError('origin_not_allowed.origin')
  }
}

/** Drops the port. IPv6 addresses are in brackets (RFC 3986, section 3.2.2), but not in HOST. */
const parseHostname = (host: string): string => {
  if (isIPv6(host)) return `[${host}]`
  return host.replace(/:\d+$/, '')
}

/** Returns undefined for `null`, and for anything else that isn't the origin of a web page. */
const parseOriginHost = (origin: string): string | undefined => /^https?:\/\/([^/?#@\\]+)$/i.exec(origin)?.[1]

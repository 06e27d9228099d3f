import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../config.ts'
import { ToolServerError } from './tool-server-error.ts'

/**
 * Lets requests pass whose Host, and Origin where a browser sends one, are this service's or this machine's:
 * a page of somebody else's could otherwise reach the tools through its visitor (DNS rebinding).
 *
 * @throws {ToolServerError} origin_not_allowed
 */
export function createHostCheck(config: Pick<Config, 'publicUrl' | 'internalUrl' | 'host' | 'allowedHosts'>) {
  const { publicUrl, internalUrl, host, allowedHosts } = config
  const configuredHosts = [new URL(publicUrl).hostname, new URL(internalUrl).hostname, host, ...allowedHosts]
  const allowedNames = new Set(
    [...loopbackNames, ...configuredHosts.map(parseHostname)].map((name) => name.toLowerCase()),
  )
  // HOST says so where it means every address: no client calls one by that name.
  for (const name of ['0.0.0.0', '[::]']) allowedNames.delete(name)
  // The runtime always says the same.
  let lastAllowed: string | undefined
  const isAllowed = (host: string | undefined) =>
    host !== undefined && (host === lastAllowed || allowedNames.has(parseHostname(host).toLowerCase()))

  return ({ host, origin }: IncomingHttpHeaders): void => {
    if (!isAllowed(host)) {
      throw new ToolServerError(
        'origin_not_allowed',
        'The tool server does not answer to this Host: add it to ALLOWED_HOSTS if it is its own.',
      )
    }
    lastAllowed = host
    if (origin !== undefined && !isAllowed(parseOriginHost(origin))) {
      throw new ToolServerError(
        'origin_not_allowed',
        'Pages of this Origin may not use the tool server: add its host to ALLOWED_HOSTS if they should.',
      )
    }
  }
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Without the port. IPv6 stands in brackets (RFC 3986, section 3.2.2), but not in HOST. */
const parseHostname = (host: string): string => {
  if (/^[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:]*$/i.test(host)) return `[${host}]`
  return host.replace(/:\d+$/, '')
}

/** Undefined for `null`, and for what is no origin of the web. */
const parseOriginHost = (origin: string): string | undefined => /^https?:\/\/([^/?#@\\]+)$/i.exec(origin)?.[1]

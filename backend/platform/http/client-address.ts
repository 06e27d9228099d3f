import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'

/** Returns a function that says whether an address belongs to TRUSTED_PROXIES. */
export function createProxyCheck(trustedProxies: readonly string[]): (address: string) => boolean {
  const isTrusted = proxyAddr.compile([...trustedProxies])
  return (address) => isTrusted(address, 0)
}

/** Returns the address of a request's client, like Fastify's `request.ip`. */
export function getClientAddress(req: IncomingMessage, isProxy: (address: string) => boolean): string {
  removeForwardedPorts(req.headers)
  return req.socket.remoteAddress === undefined ? '' : proxyAddr(req, isProxy)
}

/**
 * Removes ports from the addresses in X-Forwarded-For: Azure Application Gateway and IIS write `address:port`. Otherwise,
 * each connection of a client would seem to come from another address.
 */
export function removeForwardedPorts(headers: IncomingHttpHeaders): void {
  const header = headers['x-forwarded-for']
  // The header can't be an array, because Node joins repeated headers.
  if (typeof header !== 'string' || !/[\]:]/.test(header)) return
  headers['x-forwarded-for'] = header
    .split(',')
    .map((address) => removePort(address.trim()))
    .join(', ')
}

/** Removes the port of an IPv4 address, and the port and brackets of an IPv6 address. */
const removePort = (address: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address

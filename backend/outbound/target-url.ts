import { isIP } from 'node:net'
import type { Config } from '../config.ts'
import { isLocalhost, isPermittedAddress } from './ip-address.ts'

/**
 * Why nothing can be delivered to a URL, as a sentence; undefined where it can. It says early what the guard
 * would refuse anyway: names are resolved, and judged again, when the connection is made.
 */
export function findTargetUrlIssue(
  config: Pick<Config, 'allowLoopbackWebhooks'>,
  target: string,
): string | undefined {
  const allowLoopback = config.allowLoopbackWebhooks
  const url = URL.canParse(target) ? new URL(target) : undefined
  if (url === undefined || hasWhitespace(target)) return issues.unreadable
  if (url.username !== '' || url.password !== '') return issues.credentials
  if (url.href.length > maxUrlLength) return issues.tooLong

  // The parser has already turned 0x7f.1, 2130706433 and the like into dotted IPv4.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isLocalHttp = url.protocol === 'http:' && allowLoopback && isLoopback(host)
  if (url.protocol !== 'https:' && !isLocalHttp) return issues.notHttps

  const isPublic = isIP(host) === 0 ? !isLocalhost(host) : isPermittedAddress(host, false)
  return isPublic || (allowLoopback && isLoopback(host)) ? undefined : issues.notPublic
}

/** Percent-encoding makes a URL up to nine times longer than it was sent, and an index takes only so much. */
const maxUrlLength = 2000

const issues = {
  unreadable: "This URL isn't valid. Copy the whole URL, including https://.",
  credentials: 'The URL contains a user name or password. Remove it from the URL.',
  tooLong: `The URL is longer than ${maxUrlLength} characters. Use a shorter URL.`,
  notHttps: "The URL doesn't start with https://. Use an HTTPS URL.",
  notPublic: 'The URL leads to a private network. Use a public URL.',
}

/** A URL as subscriptions keep it: what two spellings of one address have in common, without a fragment. */
export function normalizeTargetUrl(target: string): string {
  const url = new URL(target)
  url.hash = ''
  return url.href
}

const isLoopback = (host: string): boolean =>
  isLocalhost(host) ||
  (isIP(host) !== 0 && isPermittedAddress(host, true) && !isPermittedAddress(host, false))

// Parsers of URLs drop tabs and newlines, and PostgreSQL cannot keep a NUL.

const hasWhitespace = (target: string): boolean => /[\u0000-\u0020]/.test(target)

import { isIP } from 'node:net'
import { type CatalogMessage, detailTexts, toErrorMessage } from '@outdial/contract'
import type { Config } from '../../config.ts'
import { isLocalhost, isPermittedAddress } from './ip-address.ts'

/**
 * Returns why requests can't be sent to a URL, or undefined if they can. This only reports problems early: the guard, which
 * resolves and checks hostnames when it connects, would reject such requests, too.
 */
export function findTargetUrlIssue(
  config: Pick<Config, 'allowLoopbackWebhooks'>,
  target: string,
): CatalogMessage | undefined {
  const allowLoopback = config.allowLoopbackWebhooks
  if (target.length > maxUrlLength) return issues.tooLong
  const url = URL.canParse(target) ? new URL(target) : undefined
  if (url === undefined || hasWhitespace(target)) return issues.unreadable
  if (url.username !== '' || url.password !== '') return issues.credentials
  if (url.href.length > maxUrlLength) return issues.tooLong

  // The URL parser has already converted IPv4 addresses such as 0x7f.1 and 2130706433 to dotted notation.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isLocalHttp = url.protocol === 'http:' && allowLoopback && isLoopback(host)
  if (url.protocol !== 'https:' && !isLocalHttp) return issues.notHttps

  const isPublic = isIP(host) === 0 ? !isLocalhost(host) : isPermittedAddress(host, false)
  return isPublic || (allowLoopback && isLoopback(host)) ? undefined : issues.notPublic
}

/**
 * Maximum length of a URL as sent, and as normalized: percent-encoding makes it up to nine times longer. URLs are in
 * database indexes, whose entries have a limited size.
 */
export const maxUrlLength = 2000

const issues = {
  unreadable: toErrorMessage(detailTexts['invalid_target_url.unreadable']),
  credentials: toErrorMessage(detailTexts['invalid_target_url.credentials']),
  tooLong: toErrorMessage(detailTexts['invalid_target_url.too_long'], { limit: maxUrlLength }),
  notHttps: toErrorMessage(detailTexts['invalid_target_url.not_https']),
  notPublic: toErrorMessage(detailTexts['invalid_target_url.not_public']),
}

/** Returns the normalized URL without its fragment, so that equivalent URLs are equal. */
export function normalizeTargetUrl(target: string): string {
  const url = new URL(target)
  url.hash = ''
  return url.href
}

const isLoopback = (host: string): boolean =>
  isLocalhost(host) ||
  (isIP(host) !== 0 && isPermittedAddress(host, true) && !isPermittedAddress(host, false))

// URL parsers drop tabs and newlines, and PostgreSQL can't store a NUL.
const hasWhitespace = (target: string): boolean => /[\u0000-\u0020]/.test(target)

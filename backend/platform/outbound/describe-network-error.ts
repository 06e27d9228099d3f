import { ForbiddenAddressError } from './guard.ts'

const invalidResponse = "the response isn't valid HTTP"
const connectionClosed = 'the connection was closed'
const unreachable = "the server couldn't be reached"

const messages: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: connectionClosed,
  EPIPE: connectionClosed,
  UND_ERR_SOCKET: connectionClosed,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EADDRNOTAVAIL: unreachable,
  ETIMEDOUT: unreachable,
  UND_ERR_CONNECT_TIMEOUT: unreachable,
  ENOTFOUND: 'the hostname has no address',
  EAI_AGAIN: "the hostname couldn't be looked up",
  UND_ERR_HEADERS_TIMEOUT: 'the request timed out',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: invalidResponse,
  ERR_ASSERTION: invalidResponse, // undici checks by assertion what its parser accepted, such as status 099
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too long',
}

/** Returns why a request got no response, as a clause without a period, or undefined if `error` isn't a network error. */
export function describeNetworkError(error: unknown): string | undefined {
  if (error instanceof ForbiddenAddressError) return "the address isn't public"
  const name = getText(error, 'name')
  if (name === 'TimeoutError') return 'the request timed out'
  if (name === 'HTTPParserError') return invalidResponse
  const code = getText(error, 'code')
  if (/CERT|^UNABLE_TO_/.test(code)) return `the TLS certificate isn't valid (${code})`
  if (/SSL|TLS|^EPROTO$/.test(code)) return `the secure connection failed (${code})`
  return messages[code]
}

function getText(error: unknown, property: 'name' | 'code'): string {
  if (typeof error !== 'object' || error === null) return ''
  const value: unknown = Reflect.get(error, property)
  return typeof value === 'string' ? value : ''
}

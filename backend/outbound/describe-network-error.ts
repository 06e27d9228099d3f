import { ForbiddenAddressError } from './guard.ts'

const connectionClosed = 'the receiver broke off the connection'
const unreachable = 'the receiver could not be reached'

const messages: Record<string, string> = {
  ECONNREFUSED: 'the receiver refused the connection',
  ECONNRESET: connectionClosed,
  EPIPE: connectionClosed,
  UND_ERR_SOCKET: connectionClosed,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EADDRNOTAVAIL: unreachable,
  ETIMEDOUT: unreachable,
  UND_ERR_CONNECT_TIMEOUT: unreachable,
  ENOTFOUND: 'the host name has no address',
  EAI_AGAIN: 'the host name could not be looked up',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
}

/**
 * Why a request found no answer, in words for the log that support reads; undefined where no network is at
 * fault.
 */
export function describeNetworkError(error: unknown): string | undefined {
  if (error instanceof ForbiddenAddressError) return 'the address is not public'
  if (getText(error, 'name') === 'TimeoutError') return 'the receiver did not answer in time'
  const code = getText(error, 'code')
  if (/CERT|^UNABLE_TO_/.test(code)) return `the TLS certificate is not valid (${code})`
  if (/SSL|TLS|^EPROTO$/.test(code)) return `no secure connection could be made (${code})`
  if (code.startsWith('HPE_')) return `the answer is not HTTP (${code})`
  return messages[code]
}

function getText(error: unknown, property: 'name' | 'code'): string {
  if (typeof error !== 'object' || error === null) return ''
  const value: unknown = Reflect.get(error, property)
  return typeof value === 'string' ? value : ''
}

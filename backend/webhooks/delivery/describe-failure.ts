import { ForbiddenAddressError } from '../guard.ts'

const words: Record<string, string> = {
  ECONNREFUSED: 'the receiver refused the connection',
  ECONNRESET: 'the receiver broke off the connection',
  EHOSTUNREACH: 'the receiver could not be reached',
  ENETUNREACH: 'the receiver could not be reached',
  ENOTFOUND: 'the host name has no address',
  EPIPE: 'the receiver broke off the connection',
  ETIMEDOUT: 'the receiver could not be reached in time',
  UND_ERR_CONNECT_TIMEOUT: 'the receiver could not be reached in time',
  UND_ERR_SOCKET: 'the receiver broke off the connection',
}

/** Why a request found no answer, in words for the log that support reads; undefined where no network is at fault. */
export function describeFailure(error: unknown): string | undefined {
  if (error instanceof ForbiddenAddressError) return 'the address is not public'
  if (!(error instanceof Error)) return undefined
  if (error.name === 'TimeoutError') return 'the receiver did not answer in time'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (/CERT|^UNABLE_TO_|SELF_SIGNED/.test(code)) return `the TLS certificate is not valid (${code})`
  if (/SSL|TLS|^EPROTO$/.test(code)) return `no secure connection could be made (${code})`
  if (/^(HPE_|UND_ERR_)/.test(code)) return words[code] ?? `the answer is not HTTP (${code})`
  return words[code]
}

import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../core/errors.ts'

/** A valid secret. A tool session stores the one that opened it. */
export interface RuntimeSecret {
  readonly digest: Buffer
}

export interface RuntimeSecretVerifier {
  /**
   * Returns the secret of a request, from X-Agent-Secret, Authorization, or the `token` query parameter.
   *
   * @throws {ApiError} missing_credential; invalid_credential, also if the request has two different secrets
   */
  require(headers: IncomingHttpHeaders, query: URLSearchParams): RuntimeSecret
  /** Returns whether a request has no secret, or only this one. */
  permits(secret: RuntimeSecret, headers: IncomingHttpHeaders, query: URLSearchParams): boolean
  isValid(secret: RuntimeSecret): boolean
}

/**
 * Compares SHA-256 digests in constant time, so that timing reveals neither the length nor the content of a secret.
 *
 * @param current returns the valid secrets, in a new list after each change
 */
export function createRuntimeSecretVerifier(current: () => readonly string[]): RuntimeSecretVerifier {
  let currentValues: readonly string[] = []
  let validSecrets: RuntimeSecret[] = []

  /** Returns the same object for a secret that stays valid, because `isValid` compares objects. */
  const getValidSecrets = (): RuntimeSecret[] => {
    const latestValues = current()
    if (latestValues === currentValues) return validSecrets
    const previous = validSecrets
    validSecrets = latestValues.map(hashSecret).map((digest) => findByDigest(previous, digest) ?? { digest })
    currentValues = latestValues
    return validSecrets
  }

  return {
    require: (headers, query) => {
      const [first, ...others] = readPresentedSecrets(headers, query)
      if (first === undefined) throw missingSecret()
      const digest = hashSecret(first)
      const found = findByDigest(getValidSecrets(), digest)
      const agree = others.every((other) => timingSafeEqual(hashSecret(other), digest))
      if (!agree) throw conflictingSecrets()
      if (found === undefined) throw invalidSecret()
      return found
    },
    permits: ({ digest }, headers, query) =>
      readPresentedSecrets(headers, query).every((presented) =>
        timingSafeEqual(hashSecret(presented), digest),
      ),
    isValid: (secret) => getValidSecrets().includes(secret),
  }
}

const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** Compares every candidate, so that timing doesn't reveal which one matches. */
const findByDigest = (candidates: RuntimeSecret[], digest: Buffer): RuntimeSecret | undefined =>
  candidates.filter((secret) => timingSafeEqual(secret.digest, digest))[0]

const scheme = /^(?:bearer|token) +/i

/** Returns the request's secrets. Headers come first, because query strings end up in logs. */
function readPresentedSecrets(headers: IncomingHttpHeaders, query: URLSearchParams): string[] {
  const { authorization, 'x-agent-secret': agentSecret } = headers
  const presented: string[] = typeof agentSecret === 'string' ? [agentSecret] : (agentSecret ?? [])
  // Other schemes aren't meant for Outdial, but for a proxy, for example.
  if (authorization !== undefined && scheme.test(authorization))
    presented.push(authorization.replace(scheme, ''))
  presented.push(...query.getAll('token'))
  return presented.map((secret) => secret.trim()).filter((secret) => secret !== '')
}

const challenge = { headers: { 'WWW-Authenticate': 'Bearer realm="Outdial tools"' } }

const missingSecret = () => new ApiError('missing_credential.runtime', challenge)

export const invalidSecret = () => new ApiError('invalid_credential.runtime', challenge)

const conflictingSecrets = () => new ApiError('invalid_credential.different', challenge)

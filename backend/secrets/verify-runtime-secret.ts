import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../core/errors.ts'

/** One of the secrets that are valid now. Sessions keep it, to know who opened them. */
export interface RuntimeSecret {
  readonly digest: Buffer
}

export interface RuntimeSecretVerifier {
  /**
   * The secret that a request shows: in X-Agent-Secret, in Authorization, or as `token` of its query.
   *
   * @throws {ApiError} missing_credential, invalid_credential, also where two of the three disagree
   */
  require(headers: IncomingHttpHeaders, query: URLSearchParams): RuntimeSecret
  /** Whether a request shows no secret at all, or only this one. */
  permits(secret: RuntimeSecret, headers: IncomingHttpHeaders, query: URLSearchParams): boolean
  isValid(secret: RuntimeSecret): boolean
}

/**
 * Compares SHA-256 digests in constant time: neither length nor content of a secret shows in the time it takes.
 *
 * @param current the valid ones, a new list after each change
 */
export function createRuntimeSecretVerifier(current: () => readonly string[]): RuntimeSecretVerifier {
  let currentValues: readonly string[] = []
  let validSecrets: RuntimeSecret[] = []

  /** What stays valid stays the same object. */
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

/** Every one is compared, whichever fits. */
const findByDigest = (candidates: RuntimeSecret[], digest: Buffer): RuntimeSecret | undefined =>
  candidates.filter((secret) => timingSafeEqual(secret.digest, digest))[0]

const scheme = /^(?:bearer|token) +/i

/** Headers first: they are preferred, since queries end up in other people's logs. */
function readPresentedSecrets(headers: IncomingHttpHeaders, query: URLSearchParams): string[] {
  const { authorization, 'x-agent-secret': agentSecret } = headers
  const presented: string[] = typeof agentSecret === 'string' ? [agentSecret] : (agentSecret ?? [])
  // Other schemes are somebody else's: a proxy's, for example.
  if (authorization !== undefined && scheme.test(authorization))
    presented.push(authorization.replace(scheme, ''))
  presented.push(...query.getAll('token'))
  return presented.map((secret) => secret.trim()).filter((secret) => secret !== '')
}

const challenge = { headers: { 'WWW-Authenticate': 'Bearer realm="Outdial tools"' } }

const missingSecret = () =>
  new ApiError(
    'missing_credential',
    'The runtime secret is missing: send it as X-Agent-Secret, as Authorization: Bearer, or as token in the query.',
    challenge,
  )

export const invalidSecret = () =>
  new ApiError('invalid_credential', 'This is not a runtime secret of this service.', challenge)

const conflictingSecrets = () =>
  new ApiError('invalid_credential', 'The secrets of this request disagree: send one.', challenge)

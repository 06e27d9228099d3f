import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Deps } from '../../deps.ts'
import { ApiError } from '../core/errors.ts'
import { readAttemptToken } from './attempt-tokens.ts'
import { readConversationToken } from './conversation-tokens.ts'
import { hashToken } from './tokens.ts'

/** A runtime secret, an attempt token, or a conversation token. A tool session stores the credential that opened it. */
export interface RuntimeCredential {
  readonly digest: Buffer
  /** Set for an attempt token, which is valid only for this attempt, and only until the attempt ends. */
  readonly attemptId?: string
  /** Set for a conversation token, which is valid only for this conversation's tools, and only until the conversation ends. */
  readonly conversationId?: string
}

/** Returns the key under which a credential's requests are counted. */
export function getCredentialKey({ attemptId, conversationId, digest }: RuntimeCredential): string {
  if (attemptId !== undefined) return `attempt:${attemptId}`
  if (conversationId !== undefined) return `conversation:${conversationId}`
  return `secret:${digest.toString('hex')}`
}

export interface RuntimeCredentialVerifier {
  /**
   * Returns the credential of a request, from X-Agent-Secret, Authorization, or the `token` query parameter.
   *
   * @throws {ApiError} missing_credential; invalid_credential, also if the request has two different credentials
   */
  require(headers: IncomingHttpHeaders, query: URLSearchParams): RuntimeCredential
  /** Returns whether a secret is still configured. Tokens don't depend on the configuration. */
  isValid(credential: RuntimeCredential): boolean
}

/**
 * Creates a verifier that compares SHA-256 digests in constant time, so that timing reveals nothing about a secret.
 *
 * @param deps.runtimeSecrets returns the valid secrets, in a new list after each change
 * @param options.forConversations true to accept conversation tokens, too, which give access only to tools
 */
export function createRuntimeCredentialVerifier(
  deps: Pick<Deps, 'runtimeSecrets' | 'attemptTokenKey'>,
  { forConversations = false } = {},
): RuntimeCredentialVerifier {
  let currentValues: readonly string[] = []
  let validSecrets: RuntimeCredential[] = []

  /** Returns the same object for a secret that stays valid, because `isValid` compares objects. */
  const getValidSecrets = (): RuntimeCredential[] => {
    const latestValues = deps.runtimeSecrets()
    if (latestValues === currentValues) return validSecrets
    const previous = validSecrets
    validSecrets = latestValues.map(hashToken).map((digest) => findByDigest(previous, digest) ?? { digest })
    currentValues = latestValues
    return validSecrets
  }

  const findCredential = (presented: string, digest: Buffer): RuntimeCredential | undefined => {
    const key = deps.attemptTokenKey
    const attemptId = readAttemptToken(key, presented)
    if (attemptId !== undefined) return { digest, attemptId }
    const conversationId = forConversations ? readConversationToken(key, presented) : undefined
    if (conversationId !== undefined) return { digest, conversationId }
    return findByDigest(getValidSecrets(), digest)
  }

  return {
    require: (headers, query) => {
      const [first, ...others] = readPresentedSecrets(headers, query)
      if (first === undefined) throw missingSecret()
      const digest = hashToken(first)
      const found = findCredential(first, digest)
      const agree = others.every((other) => timingSafeEqual(hashToken(other), digest))
      if (!agree) throw conflictingSecrets()
      if (found === undefined) throw invalidSecret()
      return found
    },
    isValid: (credential) =>
      credential.attemptId !== undefined ||
      credential.conversationId !== undefined ||
      getValidSecrets().includes(credential),
  }
}

/** Returns the SHA-256 of each credential of a request, in base64. */
export const digestCredentials = (headers: IncomingHttpHeaders, query: URLSearchParams): string[] =>
  readPresentedSecrets(headers, query).map((presented) => hashToken(presented).toString('base64'))

/** Returns true if a request has no credential, or only this one. `digests` are those of the request's credentials. */
export const permitsCredentials = ({ digest }: RuntimeCredential, digests: readonly string[]): boolean =>
  digests.every((presented) => timingSafeEqual(Buffer.from(presented, 'base64'), digest))

/** Compares every candidate, so that timing doesn't reveal which one matches. */
const findByDigest = (candidates: RuntimeCredential[], digest: Buffer): RuntimeCredential | undefined =>
  candidates.filter((secret) => timingSafeEqual(secret.digest, digest))[0]

const scheme = /^(?:bearer|token) +/i

/** Returns the request's credentials. Headers come first, because query strings end up in logs. */
function readPresentedSecrets(headers: IncomingHttpHeaders, query: URLSearchParams): string[] {
  const { authorization, 'x-agent-secret': agentSecret } = headers
  const presented: string[] = typeof agentSecret === 'string' ? [agentSecret] : (agentSecret ?? [])
  // Credentials of another scheme aren't for Outdial but, for example, for a proxy.
  if (authorization !== undefined && scheme.test(authorization))
    presented.push(authorization.replace(scheme, ''))
  presented.push(...query.getAll('token'))
  return presented.map((secret) => secret.trim()).filter((secret) => secret !== '')
}

const challenge = { headers: { 'WWW-Authenticate': 'Bearer realm="Outdial tools"' } }

const missingSecret = () => new ApiError('missing_credential.runtime', challenge)

export const invalidSecret = () => new ApiError('invalid_credential.runtime', challenge)

/** Returns the error for a token whose attempt is over. */
export const expiredAttemptToken = () => new ApiError('expired_credential.attempt', challenge)

/** Returns the error for a token whose conversation is over. */
export const expiredConversationToken = () => new ApiError('expired_credential.conversation', challenge)

const conflictingSecrets = () => new ApiError('invalid_credential.different', challenge)

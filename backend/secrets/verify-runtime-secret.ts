import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from '../mcp/tool-server-error.ts'

/** One of the secrets that are valid now. Sessions keep it, to know who opened them. */
export interface KnownSecret {
  readonly digest: Buffer
}

export interface RuntimeSecrets {
  /**
   * The secret that a request shows: in X-Agent-Secret, in Authorization, or as `token` of its query.
   *
   * @throws {Refusal} missing_credential, invalid_credential, also where two of the three disagree
   */
  require(headers: IncomingHttpHeaders, query: URLSearchParams): KnownSecret
  /** Whether a request shows no secret at all, or only this one. */
  permits(known: KnownSecret, headers: IncomingHttpHeaders, query: URLSearchParams | undefined): boolean
  isValid(known: KnownSecret): boolean
}

/**
 * Compares SHA-256 digests in constant time: neither length nor content of a secret shows in the time it takes.
 *
 * @param current the valid ones, a new list after each change
 */
export function createRuntimeSecrets(current: () => readonly string[]): RuntimeSecrets {
  let secrets: readonly string[] = []
  let known: KnownSecret[] = []

  /** What stays valid stays the same object. */
  const valid = (): KnownSecret[] => {
    const now = current()
    if (now === secrets) return known
    const before = known
    known = now.map(digestOf).map((digest) => find(before, digest) ?? { digest })
    secrets = now
    return known
  }

  return {
    require: (headers, query) => {
      const [first, ...others] = shownSecrets(headers, query)
      if (first === undefined) throw missing()
      const digest = digestOf(first)
      const found = find(valid(), digest)
      const agree = others.every((other) => timingSafeEqual(digestOf(other), digest))
      if (!agree) throw disagreeing()
      if (found === undefined) throw invalidSecret()
      return found
    },
    permits: ({ digest }, headers, query) =>
      (query === undefined &&
        headers.authorization === undefined &&
        headers['x-agent-secret'] === undefined) ||
      shownSecrets(headers, query).every((shown) => timingSafeEqual(digestOf(shown), digest)),
    isValid: (secret) => valid().includes(secret),
  }
}

const digestOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** Every one is compared, whichever fits. */
const find = (known: KnownSecret[], digest: Buffer): KnownSecret | undefined =>
  known.filter((secret) => timingSafeEqual(secret.digest, digest))[0]

const scheme = /^(?:bearer|token) +/i

/** Headers first: they are preferred, since queries end up in other people's logs. */
function shownSecrets(headers: IncomingHttpHeaders, query: URLSearchParams | undefined): string[] {
  const { authorization, 'x-agent-secret': own } = headers
  const shown: string[] = typeof own === 'string' ? [own] : (own ?? [])
  // Other schemes are somebody else's: a proxy's, for example.
  if (authorization !== undefined && scheme.test(authorization)) shown.push(authorization.replace(scheme, ''))
  if (query !== undefined) shown.push(...query.getAll('token'))
  return shown.map((secret) => secret.trim()).filter((secret) => secret !== '')
}

const challenge = { headers: { 'WWW-Authenticate': 'Bearer realm="Outdial tools"' } }

const missing = () =>
  new Refusal(
    'missing_credential',
    'The runtime secret is missing: send it as X-Agent-Secret, as Authorization: Bearer, or as token in the query.',
    challenge,
  )

export const invalidSecret = () =>
  new Refusal('invalid_credential', 'This is not a runtime secret of this service.', challenge)

const disagreeing = () =>
  new Refusal('invalid_credential', 'The secrets of this request disagree: send one.', challenge)

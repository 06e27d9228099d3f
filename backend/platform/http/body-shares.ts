import type { FastifyRequest } from 'fastify'
import { getConnectionKey } from '../core/caller.ts'
import { ApiError } from '../core/errors.ts'
import { InProgress } from '../core/in-progress.ts'
import { toNetworks } from '../core/networks.ts'
import type { ArrivingBody } from './arriving-bodies.ts'
import { type HttpLimits, megabyte } from './http-limits.ts'
import type { SlowClientLog } from './slow-client-log.ts'

export interface Sender {
  /** Null for a request without a credential. */
  credential: string | null
  /** Keys of the workspace, user, or credential that the bytes count toward. Empty without a credential. */
  owners: string[]
  address: string
}

/**
 * Creates a function that counts a body for its sender. The function throws an ApiError (`rate_limited`) if too many of the
 * sender's bodies, or of their bytes, would be arriving at the same time.
 *
 * @param options.isProxy returns true for a proxy's address, which many clients share
 */
export function createBodyShares(
  limits: HttpLimits,
  { slowClients, isProxy }: { slowClients: SlowClientLog; isProxy: (address: string) => boolean },
) {
  const bodies = new InProgress<string>()
  const bytes = new InProgress<string>()
  const reject = (address: string, key: 'rate_limited.bodies' | 'rate_limited.body_bytes', limit: number) => {
    slowClients.add(address, 'rejected')
    return new ApiError(key, { values: { limit }, headers: { 'Retry-After': '1' } })
  }

  /** @param maxLength the length of the longest body that the route accepts, in bytes */
  return (body: ArrivingBody, { credential, owners, address }: Sender, maxLength: number): void => {
    if (credential === null && isProxy(address)) return
    const network = toNetworks(address)[0]
    const sender = credential ?? network
    const maxBodies = credential === null ? limits.maxBodiesPerAddress : limits.maxBodiesPerCredential
    if (bodies.of(sender) >= maxBodies) throw reject(address, 'rate_limited.bodies', maxBodies)

    body.owners = credential === null ? [network] : owners
    // The bytes of uploads have a separate limit.
    const length = body.isUpload ? 0 : getLength(body, maxLength)
    const maxBytes = limits.maxBodyBytesPerOwner
    if (length > 0 && body.owners.some((owner) => bytes.of(owner) + length > maxBytes))
      throw reject(address, 'rate_limited.body_bytes', Math.floor(maxBytes / megabyte))
    body.onEnd.push(bodies.add(sender), ...body.owners.map((owner) => bytes.add(owner, length)))
  }
}

/**
 * Returns a body's length from its Content-Length. Without this header, the body counts as the longest one that the route
 * accepts.
 */
const getLength = ({ req }: ArrivingBody, maxLength: number): number =>
  Math.min(Number(req.headers['content-length'] ?? Infinity), maxLength)

type Authenticated = Pick<FastifyRequest, 'caller' | 'credentialKey'>

/** Returns a key for the credential of a request, or null if it has none. */
export const getCredential = ({ caller, credentialKey }: Authenticated): string | null =>
  caller === null ? credentialKey : getConnectionKey(caller)

/** Returns the keys that a request counts under. They name the workspace and user, because these can have many credentials. */
export const getOwners = ({ caller, credentialKey }: Authenticated): string[] => {
  if (caller !== null) return [`workspace:${caller.workspaceId}`, `user:${caller.userId}`]
  return credentialKey === null ? [] : [credentialKey]
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { getConnectionKey } from '../core/caller.ts'
import { secondMs } from '../core/durations.ts'
import { ApiError } from '../core/errors.ts'
import { toNetworks } from '../core/networks.ts'
import { closeAfterEarlyAnswer } from './early-answers.ts'
import { type HttpLimits, megabyte } from './http-limits.ts'
import type { OverloadState } from './overload.ts'
import type { SlowClientLog } from './slow-client-log.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Names the credential of a request that has no `caller`: a sign-in session or an attempt. */
    credentialKey: string | null
  }
  interface FastifyContextConfig {
    /** Maximum file size in bytes. Set only for multipart forms. */
    fileLimit?: number
    /** How many bodies of ordinary length a body of this route counts as. */
    bodyWeight?: number
  }
}

/** The bodies that are still arriving. A client decides how long that takes, so they have limits of their own. */
export interface ArrivingBodies {
  /** Limits the time of a request's body, if it has one. */
  watch(req: IncomingMessage, res: ServerResponse): void
  /** Limits how many bodies a sender has arriving, and the bytes of all of them. */
  limit(app: FastifyInstance): void
  /**
   * Does the same for a request that Fastify doesn't handle. `credential` is null if the request has none.
   *
   * @throws {ApiError} rate_limited
   */
  limitMessage: (req: IncomingMessage, credential: string | null, maxLength: number) => void
  close(): void
}

interface ArrivingBody {
  res: ServerResponse
  startedAt: number
  /** Bytes that the connection had received when the body began. */
  bytesBefore: number
  /** Bytes of the body according to its headers, at most as many as the route accepts. */
  announced: number
  isUpload: boolean
  /** Whose bytes these are. Empty if that isn't known. */
  owners: string[]
}

interface Sender {
  credential: string | null
  /** Everyone whose bytes these are, if there's a credential. */
  owners: string[]
  address: string
  /** The longest body that the route accepts, in bytes. */
  maxLength: number
  bodyWeight?: number | undefined
}

/**
 * @param options.isProxy says whether an address is a proxy's, which has the requests of many clients
 * @param options.getAddress returns the address of a request's client
 * @param options.onTimeout responds to a request whose body took too long, and closes its connection
 */
export function createArrivingBodies(
  limits: HttpLimits,
  {
    overload,
    slowClients,
    isProxy,
    getAddress,
    onTimeout,
  }: {
    overload: OverloadState
    slowClients: SlowClientLog
    isProxy: (address: string) => boolean
    getAddress: (req: IncomingMessage) => string
    onTimeout: (req: IncomingMessage) => void
  },
): ArrivingBodies {
  const bodies = new Map<IncomingMessage, ArrivingBody>()
  const bySender = new Map<string, Set<IncomingMessage>>()
  const uploadBytes = new Map<string, number>()

  const isArriving = (req: IncomingMessage) => bodies.has(req) && !req.complete && !req.destroyed
  const countBytes = (req: IncomingMessage, { bytesBefore }: ArrivingBody) =>
    req.socket.bytesRead - bytesBefore
  const sumBytes = () => {
    let sum = 0
    for (const [req, body] of bodies) if (isArriving(req)) sum += countBytes(req, body)
    return sum
  }
  const isLate = (req: IncomingMessage, body: ArrivingBody) => {
    const elapsedMs = performance.now() - body.startedAt
    if (!body.isUpload) return elapsedMs > limits.bodyTimeoutMs
    const allowedMs = (countBytes(req, body) / limits.uploadBytesPerSecond) * secondMs
    return elapsedMs > limits.uploadTimeoutMs + allowedMs
  }
  const end = (req: IncomingMessage) => {
    slowClients.add(getAddress(req), 'ended')
    bodies.delete(req)
    onTimeout(req)
  }

  /**
   * Ends bodies of those who send the most, until the rest is within the limit. Their oldest ones first: others arrive
   * within a moment, and an attacker wants to stay.
   */
  const relieve = () => {
    let excess = sumBytes() - limits.maxBodyBytes
    if (excess <= 0) return
    const owned = new Map<string, { bytes: number; requests: [IncomingMessage, ArrivingBody][] }>()
    for (const [req, body] of bodies) {
      if (!isArriving(req)) continue
      const [owner = ''] = body.owners
      const group = owned.get(owner) ?? { bytes: 0, requests: [] }
      group.bytes += countBytes(req, body)
      group.requests.push([req, body])
      owned.set(owner, group)
    }
    overload.add('bodies')
    while (excess > 0) {
      const [largest] = [...owned.values()].sort((one, other) => other.bytes - one.bytes)
      const oldest = largest?.requests.shift()
      if (largest === undefined || oldest === undefined) return
      const bytes = countBytes(...oldest)
      largest.bytes -= bytes
      excess -= bytes
      end(oldest[0])
    }
  }

  const check = () => {
    for (const [req, body] of bodies) {
      if (!isArriving(req)) bodies.delete(req)
      else if (isLate(req, body)) end(req)
    }
    relieve()
    for (const [sender, requests] of bySender) if (dropArrived(requests) === 0) bySender.delete(sender)
    slowClients.write()
  }
  const dropArrived = (requests: Set<IncomingMessage>): number => {
    for (const req of requests) if (!isArriving(req)) requests.delete(req)
    return requests.size
  }
  const timer = setInterval(check, limits.checkIntervalMs).unref()

  const getArriving = (sender: string): Set<IncomingMessage> => {
    const requests = bySender.get(sender) ?? new Set()
    dropArrived(requests)
    bySender.set(sender, requests)
    return requests
  }

  /** Returns what a sender's bodies have and announce, in bytes. Uploads have a limit of their own. */
  const sumAnnounced = (requests: Set<IncomingMessage>): number => {
    let sum = 0
    for (const req of requests) {
      const body = bodies.get(req)
      if (body !== undefined && !body.isUpload) sum += Math.max(body.announced, countBytes(req, body))
    }
    return sum
  }

  /** @throws {ApiError} rate_limited */
  const addToSender = (
    req: IncomingMessage,
    body: ArrivingBody,
    { credential, owners, address, maxLength, bodyWeight = 1 }: Sender,
  ) => {
    if (credential === null && isProxy(address)) return
    const network = toNetworks(address)[0]
    const max =
      credential === null ? limits.maxBodiesPerAddress : Math.ceil(limits.maxBodiesPerCredential / bodyWeight)
    const requests = getArriving(credential ?? network)
    if (requests.size >= max) throw tooManyBodies(address, 'rate_limited.bodies', max)
    body.announced = Math.min(body.announced, maxLength)
    body.owners = credential === null ? [network] : owners
    const owned = body.owners.map((owner) => getArriving(`bytes ${owner}`))
    const maxBytes = limits.maxBodyBytesPerOwner
    if (!body.isUpload && owned.some((others) => sumAnnounced(others) + body.announced > maxBytes))
      throw tooManyBodies(address, 'rate_limited.body_bytes', Math.floor(maxBytes / megabyte))
    for (const set of [requests, ...owned]) set.add(req)
  }
  const tooManyBodies = (
    address: string,
    key: 'rate_limited.bodies' | 'rate_limited.body_bytes',
    limit: number,
  ) => {
    slowClients.add(address, 'rejected')
    return new ApiError(key, { values: { limit }, headers: { 'Retry-After': '1' } })
  }

  /** @throws {ApiError} rate_limited */
  const addUpload = (sender: string, { raw, headers, ip }: FastifyRequest, { res }: ArrivingBody) => {
    const max = limits.maxUploadBytesPerUser
    const length = Math.min(Number(headers['content-length'] ?? max), max)
    const others = uploadBytes.get(sender) ?? 0
    if (others + length > max) {
      slowClients.add(ip, 'rejected')
      throw new ApiError('rate_limited.uploads', {
        values: { limit: Math.floor(max / megabyte) },
        headers: { 'Retry-After': '5' },
      })
    }
    uploadBytes.set(sender, others + length)
    const remove = () => {
      const left = (uploadBytes.get(sender) ?? 0) - length
      if (left > 0) uploadBytes.set(sender, left)
      else uploadBytes.delete(sender)
    }
    if (raw.destroyed) remove()
    else res.once('close', remove)
  }

  return {
    watch: (req, res) => {
      const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers
      if (length === '0' && coding === undefined) return
      bodies.set(req, {
        ...{ res, startedAt: performance.now(), bytesBefore: req.socket.bytesRead },
        ...{
          // Without its length, a body counts as the longest one that the route accepts.
          announced: coding === undefined ? Number(length) : Infinity,
          isUpload: false,
          owners: [],
        },
      })
      closeAfterEarlyAnswer(req, res, { lingerMs: limits.lingerMs, onAnswer: () => bodies.delete(req) })
    },

    limit: (app) => {
      app.decorateRequest('credentialKey', null)
      app.addHook('preParsing', (request, _reply, _payload, done) => {
        const { raw, ip: address, routeOptions } = request
        const body = bodies.get(raw)
        if (body !== undefined) {
          const credential = getCredential(request)
          const { fileLimit, bodyWeight } = routeOptions.config
          body.isUpload = fileLimit !== undefined
          if (body.isUpload && credential !== null) addUpload(credential, request, body)
          if (isArriving(raw)) {
            const { bodyLimit: maxLength } = routeOptions
            addToSender(raw, body, { credential, owners: getOwners(request), address, maxLength, bodyWeight })
            relieve()
          }
        }
        done()
      })
      // Most bodies arrive at once, and are forgotten here.
      app.addHook('preValidation', ({ raw }, _reply, done) => {
        if (raw.complete) bodies.delete(raw)
        done()
      })
    },

    limitMessage: (req, credential, maxLength) => {
      const body = bodies.get(req)
      if (body === undefined || !isArriving(req)) return
      const owners = credential === null ? [] : [credential]
      addToSender(req, body, { credential, owners, address: getAddress(req), maxLength })
      relieve()
    },

    close: () => {
      clearInterval(timer)
      slowClients.write()
    },
  }
}

type Authenticated = Pick<FastifyRequest, 'caller' | 'credentialKey'>

const getCredential = ({ caller, credentialKey }: Authenticated): string | null =>
  caller === null ? credentialKey : getConnectionKey(caller)

/** A customer can have many credentials. */
const getOwners = ({ caller, credentialKey }: Authenticated): string[] => {
  if (caller !== null) return [`workspace:${caller.workspaceId}`, `user:${caller.userId}`]
  return credentialKey === null ? [] : [credentialKey]
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Caller, getConnectionKey } from '../core/caller.ts'
import { secondMs } from '../core/durations.ts'
import { ApiError } from '../core/errors.ts'
import { toNetworks } from '../core/networks.ts'
import { closeAfterEarlyAnswer } from './early-answers.ts'
import type { HttpLimits } from './http-limits.ts'
import type { OverloadState } from './overload.ts'

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
  close(): void
}

interface ArrivingBody {
  res: ServerResponse
  startedAt: number
  /** What the connection had received before. Includes the headers. */
  bytesBefore: number
  isUpload: boolean
}

/**
 * @param options.isProxy says whether an address is a proxy's, which has the requests of many clients
 * @param options.onTimeout responds to a request whose body took too long, and closes its connection
 */
export function createArrivingBodies(
  limits: HttpLimits,
  {
    overload,
    isProxy,
    onTimeout,
  }: {
    overload: OverloadState
    isProxy: (address: string) => boolean
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
  const isLate = (req: IncomingMessage, { startedAt, isUpload, bytesBefore }: ArrivingBody) => {
    const elapsedMs = performance.now() - startedAt
    if (!isUpload) return elapsedMs > limits.bodyTimeoutMs
    const received = req.socket.bytesRead - bytesBefore
    return elapsedMs > limits.uploadTimeoutMs + (received / limits.uploadBytesPerSecond) * secondMs
  }
  const end = (req: IncomingMessage, { res }: ArrivingBody) => {
    bodies.delete(req)
    if (res.headersSent) req.socket.destroy()
    else onTimeout(req)
  }

  const check = () => {
    for (const [req, body] of bodies) {
      if (!isArriving(req)) bodies.delete(req)
      else if (isLate(req, body)) end(req, body)
    }
    let excess = sumBytes() - limits.maxBodyBytes
    // The oldest ones first: others arrive within a moment, and an attacker wants to stay.
    for (const [req, body] of bodies) {
      if (excess <= 0) break
      excess -= countBytes(req, body)
      overload.add('bodies')
      end(req, body)
    }
    for (const [sender, requests] of bySender) if (dropArrived(requests) === 0) bySender.delete(sender)
  }
  const dropArrived = (requests: Set<IncomingMessage>): number => {
    for (const req of requests) if (!isArriving(req)) requests.delete(req)
    return requests.size
  }
  const timer = setInterval(check, limits.checkIntervalMs).unref()

  /** @throws {ApiError} rate_limited */
  const addToSender = (sender: string, req: IncomingMessage, max: number) => {
    const requests = bySender.get(sender) ?? new Set()
    if (dropArrived(requests) >= max)
      throw new ApiError('rate_limited.bodies', { values: { limit: max }, headers: { 'Retry-After': '1' } })
    bySender.set(sender, requests.add(req))
  }

  /** @throws {ApiError} rate_limited */
  const addUpload = (sender: string, { raw, headers }: FastifyRequest, { res }: ArrivingBody) => {
    const max = limits.maxUploadBytesPerUser
    const length = Math.min(Number(headers['content-length'] ?? max), max)
    const others = uploadBytes.get(sender) ?? 0
    if (others + length > max)
      throw new ApiError('rate_limited.uploads', {
        values: { limit: Math.floor(max / (1024 * 1024)) },
        headers: { 'Retry-After': '5' },
      })
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
      const { bytesRead: bytesBefore } = req.socket
      bodies.set(req, { res, startedAt: performance.now(), bytesBefore, isUpload: false })
      closeAfterEarlyAnswer(req, res, { lingerMs: limits.lingerMs, onAnswer: () => bodies.delete(req) })
    },

    limit: (app) => {
      app.decorateRequest('credentialKey', null)
      app.addHook('preParsing', (request, _reply, _payload, done) => {
        const { raw } = request
        const body = bodies.get(raw)
        if (body !== undefined) {
          const credential = getCredential(request)
          const { fileLimit, bodyWeight = 1 } = request.routeOptions.config
          body.isUpload = fileLimit !== undefined
          if (body.isUpload && credential !== null) addUpload(credential, request, body)
          if (isArriving(raw)) {
            if (sumBytes() > limits.maxBodyBytes) {
              overload.add('bodies')
              throw new ApiError('unavailable', { headers: { 'Retry-After': '1' } })
            }
            if (credential !== null)
              addToSender(credential, raw, Math.ceil(limits.maxBodiesPerCredential / bodyWeight))
            else if (!isProxy(request.ip))
              addToSender(toNetworks(request.ip)[0], raw, limits.maxBodiesPerAddress)
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

    close: () => clearInterval(timer),
  }
}

const getCredential = ({ caller, credentialKey }: { caller: Caller | null; credentialKey: string | null }) =>
  caller === null ? credentialKey : getConnectionKey(caller)

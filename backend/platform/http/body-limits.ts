import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ArrivingBodies, type ArrivingBody } from './arriving-bodies.ts'
import { createBodyShares, getCredential, getOwners, type Sender } from './body-shares.ts'
import { endLateRequest } from './client-errors.ts'
import { findExcess, isLate } from './end-bodies.ts'
import type { HttpLimits } from './http-limits.ts'
import type { OverloadState } from './overload.ts'
import { hasBody } from './read-body.ts'
import type { SlowClientLog } from './slow-client-log.ts'
import { createUploadShares } from './upload-shares.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** A key for the credential of a request that has no `caller`: its sign-in session's user, or its attempt. */
    credentialKey: string | null
  }
  interface FastifyContextConfig {
    /** Maximum file size in bytes. Set only for multipart forms. */
    fileLimit?: number
  }
}

/** Limits the bodies that are still arriving. */
export interface BodyLimits {
  /** Limits how long a request's body can take to arrive, if it has one. */
  watch(req: IncomingMessage, res: ServerResponse): void
  /** Limits how many bodies of one sender can be arriving at the same time, and their total bytes. */
  limit(app: FastifyInstance): void
  /**
   * Does what `limit` does, for a request that Fastify doesn't handle. `credential` is null if the request has none.
   *
   * @throws {ApiError} rate_limited
   */
  limitMessage: (req: IncomingMessage, credential: string | null, maxLength: number) => void
  close(): void
}

/**
 * @param options.isProxy returns true for a proxy's address, which many clients share
 * @param options.getAddress returns the address of a request's client
 */
export function createBodyLimits(
  limits: HttpLimits,
  options: {
    overload: OverloadState
    slowClients: SlowClientLog
    isProxy: (address: string) => boolean
    getAddress: (req: IncomingMessage) => string
  },
): BodyLimits {
  const { overload, slowClients, getAddress } = options
  const bodies = new ArrivingBodies(limits)
  const takeShare = createBodyShares(limits, options)
  const takeUploadShare = createUploadShares(limits, options)

  const end = ({ req }: ArrivingBody) => {
    slowClients.add(getAddress(req), 'ended')
    bodies.remove(req)
    endLateRequest(req)
  }
  const endExcess = () => {
    const excess = findExcess(bodies.list(), limits.maxBodyBytes)
    if (excess.length > 0) overload.add('bodies')
    excess.forEach(end)
  }
  const timer = setInterval(() => {
    for (const body of bodies.list()) if (isLate(body, limits)) end(body)
    endExcess()
    slowClients.write()
  }, limits.checkIntervalMs).unref()

  /** @throws {ApiError} rate_limited */
  const add = (body: ArrivingBody, sender: Sender, maxLength: number) => {
    takeShare(body, sender, maxLength)
    body.req.once('close', () => bodies.remove(body.req))
    endExcess()
  }
  /** @throws {ApiError} rate_limited */
  const addRequest = (request: FastifyRequest, res: ServerResponse) => {
    const { raw, ip: address, routeOptions } = request
    const isUpload = routeOptions.config.fileLimit !== undefined
    const credential = getCredential(request)
    if (isUpload && credential !== null) takeUploadShare(credential, request, res)
    const body = bodies.find(raw)
    if (body === undefined) return
    body.isUpload = isUpload
    add(body, { credential, owners: getOwners(request), address }, routeOptions.bodyLimit)
  }

  return {
    watch: (req, res) => bodies.watch(req, res),

    limit: (app) => {
      app.decorateRequest('credentialKey', null)
      app.addHook('preParsing', (request, { raw: res }, _payload, done) => {
        if (hasBody(request)) addRequest(request, res)
        done()
      })
      // Stops tracking a body that has arrived, as most bodies have by now.
      app.addHook('preValidation', ({ raw }, _reply, done) => {
        if (raw.complete) bodies.remove(raw)
        done()
      })
    },

    limitMessage: (req, credential, maxLength) => {
      const body = bodies.find(req)
      if (body === undefined) return
      const owners = credential === null ? [] : [credential]
      add(body, { credential, owners, address: getAddress(req) }, maxLength)
    },

    close: () => {
      clearInterval(timer)
      slowClients.write()
    },
  }
}

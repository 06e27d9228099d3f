import type { FastifyInstance } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { currentSlot, type RequestSlot } from '../core/request-slot.ts'
import type { OverloadState } from './overload.ts'
import { hasBody } from './read-body.ts'
import { createRequestShares } from './request-shares.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a request that isn't counted. */
    slot: CountedSlot | null
  }
}

/** Routes without this limit, because they cost little and are needed most while the process is overloaded. */
export const unlimitedRoutes = new Set<string | undefined>(['/healthz', '/readyz', '/metrics'])

/**
 * Rejects requests while `max` others are being handled, or too many of the same workspace: they would wait for a database
 * connection until their clients give up. Time that depends on the client doesn't count: a request has no slot while its body
 * arrives or its response is read. If the client has disconnected, the request counts until its handler has settled, because
 * the work continues. The tool server's requests aren't counted, because its streams stay open.
 */
export function limitRequests(app: FastifyInstance, max: number, overload: OverloadState): void {
  const shares = createRequestShares(max, overload)
  app.decorateRequest('slot', null)
  app.addHook('onRequest', (request, _reply, done) => {
    if (!unlimitedRoutes.has(request.routeOptions.url)) {
      const slot = createSlot(() => shares.take(request))
      slot.take()
      request.slot = slot
    }
    done()
  })
  // Gives the slot back while the body arrives: if the client disconnects meanwhile, the later hooks might not run.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    request.slot?.pause()
    // Takes the slot again, for the request's workspace, because the request has been authenticated by now.
    if (!hasBody(request)) request.slot?.take()
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    // The bodies of forms with files are read later.
    if (request.raw.complete || request.raw.readableEnded) request.slot?.take()
    requireClient(request.socket)
    done()
  })
  app.addHook('preHandler', (request, _reply, done) => {
    requireClient(request.socket)
    done()
  })
  app.addHook('onSend', ({ slot }, _reply, _payload, done) => {
    slot?.release()
    done()
  })
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const { slot } = request
      if (slot === null) return handler.call(this, request, reply)
      slot.take()
      const result: unknown = currentSlot.run(slot, () => handler.call(this, request, reply))
      const release = () => slot.release()
      // If the client has disconnected, a handler can settle without sending anything.
      if (result instanceof Promise) result.then(release, release)
      return result
    }
  })
}

/** Throws an error if the client has disconnected while its request waited, because the result would reach no client. */
function requireClient(socket: { destroyed: boolean }): void {
  if (socket.destroyed) throw new ApiError('malformed_json.incomplete')
}

interface CountedSlot extends RequestSlot {
  /**
   * Takes the slot for the first time, or again after `pause`.
   *
   * @throws {ApiError} unavailable, if no slot is free, or rate_limited, if its workspace has too many
   */
  take(): void
  /** Gives the slot back while the request waits for its client. */
  pause(): void
}

/**
 * Creates a slot that isn't taken yet. Once it's released, it can't be taken again.
 *
 * @param takeShare takes a slot for its request, and returns a function that gives it back
 */
function createSlot(takeShare: () => () => void): CountedSlot {
  let giveBack: (() => void) | undefined
  let isReleased = false
  const pause = () => {
    giveBack?.()
    giveBack = undefined
  }
  return {
    take: () => {
      if (!isReleased) giveBack ??= takeShare()
    },
    pause,
    release: () => {
      pause()
      isReleased = true
    },
  }
}

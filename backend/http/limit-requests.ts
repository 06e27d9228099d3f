import type { FastifyInstance } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { currentSlot, type RequestSlot } from '../core/request-slot.ts'
import type { OverloadState } from './overload.ts'
import { hasBody } from './read-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a request that isn't counted. */
    slot: CountedSlot | null
  }
}

/** They're needed most while the process is overloaded, and cost little. */
export const unlimitedRoutes = new Set<string | undefined>(['/healthz', '/readyz', '/metrics'])

/**
 * Rejects requests while `max` others are being handled: they would wait for a database connection until their clients
 * give up. What depends on the client doesn't count: a request has no slot while its body arrives, and while its
 * response is read. A request whose client has disconnected counts until its handler has settled, because its work
 * continues. The tool server's requests aren't counted, because its streams stay open.
 */
export function limitRequests(app: FastifyInstance, max: number, overload: OverloadState): void {
  let inProgress = 0
  const take = () => {
    if (inProgress >= max) {
      overload.add('requests')
      throw new ApiError('unavailable', { headers: { 'Retry-After': '1' } })
    }
    inProgress += 1
  }
  const giveBack = () => void (inProgress -= 1)

  app.decorateRequest('slot', null)
  app.addHook('onRequest', (request, _reply, done) => {
    if (!unlimitedRoutes.has(request.routeOptions.url)) {
      const slot = createSlot(take, giveBack)
      slot.take()
      request.slot = slot
    }
    done()
  })
  // If the client disconnects while the body arrives, no other hook may be called.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    if (hasBody(request)) request.slot?.pause()
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

/** The client has disconnected while its request waited, so nobody would learn of the result. */
function requireClient(socket: { destroyed: boolean }): void {
  if (socket.destroyed) throw new ApiError('malformed_json.incomplete')
}

interface CountedSlot extends RequestSlot {
  /**
   * Takes the slot again after `pause`.
   *
   * @throws {ApiError} unavailable, if no slot is free
   */
  take(): void
  /** Gives the slot back while the request waits for its client. */
  pause(): void
}

/** Creates a slot that isn't taken yet. Once it's released, it can't be taken again. */
function createSlot(take: () => void, giveBack: () => void): CountedSlot {
  let isTaken = false
  let isReleased = false
  const pause = () => {
    if (!isTaken) return
    isTaken = false
    giveBack()
  }
  return {
    take: () => {
      if (isTaken || isReleased) return
      take()
      isTaken = true
    },
    pause,
    release: () => {
      pause()
      isReleased = true
    },
  }
}

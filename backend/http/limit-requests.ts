import type { FastifyInstance } from 'fastify'
import { ApiError } from '../core/errors.ts'
import { currentSlot, type RequestSlot } from '../core/request-slot.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for a request that isn't counted. */
    slot: CountedSlot | null
  }
}

/** They're needed most while the process is overloaded, and cost little. */
const unlimitedRoutes = new Set<string | undefined>(['/healthz', '/readyz', '/metrics'])

/**
 * Rejects requests while `max` others are in progress: they would wait for a database connection until their clients
 * give up. A request whose client has disconnected counts until its handler has settled, because its work continues.
 * The tool server's requests aren't counted, because its streams stay open.
 */
export function limitRequests(app: FastifyInstance, max: number): void {
  let inProgress = 0
  app.decorateRequest('slot', null)
  app.addHook('onRequest', (request, reply, done) => {
    if (!unlimitedRoutes.has(request.routeOptions.url)) {
      if (inProgress >= max) throw new ApiError('unavailable', { headers: { 'Retry-After': '1' } })
      inProgress += 1
      const slot = createSlot(() => (inProgress -= 1))
      request.slot = slot
      reply.raw.once('close', () => slot.setClosed())
    }
    done()
  })
  // While its body arrives, a request does no work. If its client disconnects then, no other hook may be called.
  app.addHook('preParsing', ({ slot }, _reply, _payload, done) => {
    slot?.setWorking(false)
    done()
  })
  app.addHook('preValidation', (request, _reply, done) => {
    request.slot?.setWorking(true)
    requireClient(request.socket)
    done()
  })
  app.addHook('preHandler', (request, _reply, done) => {
    requireClient(request.socket)
    done()
  })
  app.addHook('onSend', ({ slot }, _reply, _payload, done) => {
    slot?.setWorking(false)
    done()
  })
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const { slot } = request
      if (slot === null) return handler.call(this, request, reply)
      const result: unknown = currentSlot.run(slot, () => handler.call(this, request, reply))
      const setDone = () => slot.setWorking(false)
      // If the client has disconnected, a handler can settle without sending anything.
      if (result instanceof Promise) result.then(setDone, setDone)
      return result
    }
  })
}

/** The client has disconnected while its request waited, so nobody would learn of the result. */
function requireClient(socket: { destroyed: boolean }): void {
  if (socket.destroyed) throw new ApiError('malformed_json.incomplete')
}

interface CountedSlot extends RequestSlot {
  setWorking(isWorking: boolean): void
  /** Says that the response was sent or can't be sent anymore. */
  setClosed(): void
}

/** Creates a slot that's released once, as soon as the connection is closed and no work is in progress. */
function createSlot(onRelease: () => void): CountedSlot {
  let isWorking = true
  let isClosed = false
  let isReleased = false
  const release = () => {
    if (isReleased) return
    isReleased = true
    onRelease()
  }
  const update = () => {
    if (isClosed && !isWorking) release()
  }
  return {
    release,
    setWorking: (working) => {
      isWorking = working
      update()
    },
    setClosed: () => {
      isClosed = true
      update()
    },
  }
}

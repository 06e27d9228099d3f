import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Deps } from '../deps.ts'
import type { Person } from '../identity/people/store.ts'
import { sessionCookie } from '../identity/sessions/cookie.ts'
import { endSession } from '../identity/sessions/end.ts'
import { findSession } from '../identity/sessions/find.ts'
import { startSession } from '../identity/sessions/start.ts'
import { verifyPassword } from '../identity/verify-password.ts'

export const SignInForm = z.object({
  email: z.string().max(254).catch(''),
  password: z.string().max(1024).catch(''),
})

export const wrongPassword =
  'This e-mail address and password do not belong together. Check both and try again.'

/** Signing in and out of a browser, for every page that does so. */
export function createDoor(deps: Deps) {
  const cookie = sessionCookie(deps.config)
  const tokenOf = (request: FastifyRequest) => request.cookies[cookie.name]

  return {
    personOf: (request: FastifyRequest): Promise<Person | undefined> => findSession(deps)(tokenOf(request)),

    /** The user's id, with a new session in the browser; undefined for a wrong address or password. */
    signIn: async (request: FastifyRequest, reply: FastifyReply): Promise<number | undefined> => {
      const userId = await verifyPassword(deps)(SignInForm.parse(request.body))
      if (userId === undefined) return undefined
      await endSession(deps)(tokenOf(request))
      const { token, expiresAt } = await startSession(deps)(userId)
      // `maxAge` counts on the browser's clock, whatever ours says.
      const maxAge = Math.floor((expiresAt.getTime() - deps.clock.now().getTime()) / 1000)
      void reply.setCookie(cookie.name, token, { ...cookie.options, maxAge })
      return userId
    },

    signOut: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await endSession(deps)(tokenOf(request))
      void reply.clearCookie(cookie.name, cookie.options)
    },
  }
}

export type Door = ReturnType<typeof createDoor>

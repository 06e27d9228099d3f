import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Config } from '../config.ts'
import { secondMs } from '../core/durations.ts'
import type { Deps } from '../deps.ts'
import { verifyPassword } from '../identity/passwords.ts'
import { endSession, findSession, type Session, startSession } from '../identity/sessions.ts'
import type { User } from '../identity/users.ts'
import { tooManyAttemptsError } from '../views/page-error.ts'
import { createAttemptLimit, toNetwork } from './attempt-limit.ts'

export const SignInForm = z.object({
  // PostgreSQL compares no text with a NUL in it.
  email: z
    .string()
    .max(254)
    .regex(/^[^\0]*$/)
    .catch(''),
  password: z.string().max(1024).catch(''),
})

export const wrongPasswordMessage = 'Incorrect email or password. Check both and try again.'

/** Signing in and out of a browser, for every page that does so: they share one, since tries are counted in it. */
export function createBrowserAuth(deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>) {
  const cookie = sessionCookie(deps.config)
  const attempts = createAttemptLimit(deps.clock)
  const getToken = (request: FastifyRequest) => request.cookies[cookie.name]

  /** A new session in the browser, in place of the one that it has; false where the password is another by now. */
  const startBrowserSession = async (
    request: FastifyRequest,
    reply: FastifyReply,
    userId: number,
    passwordHash?: string,
  ): Promise<boolean> => {
    const session = await startSession(deps, userId, request.headers['user-agent'], passwordHash)
    if (session === undefined) return false
    await endSession(deps, getToken(request))
    const { token, expiresAt } = session
    // `maxAge` counts on the browser's clock, whatever ours says.
    const maxAge = Math.floor((expiresAt.getTime() - deps.clock.now().getTime()) / secondMs)
    void reply.setCookie(cookie.name, token, { ...cookie.options, maxAge })
    return true
  }

  return {
    begin: startBrowserSession,

    getUser: async (request: FastifyRequest): Promise<User | undefined> =>
      (await findSession(deps, getToken(request)))?.user,

    getSession: (request: FastifyRequest): Promise<Session | undefined> =>
      findSession(deps, getToken(request)),

    /**
     * The user's id, with a new session in the browser; undefined for a wrong address or password.
     * @throws {PageError} after ten wrong tries with one address from one place within five minutes
     */
    signIn: async (request: FastifyRequest, reply: FastifyReply): Promise<number | undefined> => {
      const form = SignInForm.parse(request.body)
      const key = `${toNetwork(request.ip)} ${form.email.trim().toLowerCase()}`
      if (!attempts.consume(key)) throw tooManyAttemptsError()
      const user = await verifyPassword(deps, form)
      if (user === undefined) return undefined
      if (!(await startBrowserSession(request, reply, user.userId, user.passwordHash))) return undefined
      attempts.clear(key)
      return user.userId
    },

    signOut: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await endSession(deps, getToken(request))
      void reply.clearCookie(cookie.name, cookie.options)
    },
  }
}

export type BrowserAuth = ReturnType<typeof createBrowserAuth>

interface SessionCookie {
  name: string
  options: { path: '/'; httpOnly: true; sameSite: 'lax'; secure: boolean }
}

/**
 * The cookie that carries a session. `__Host-` keeps a sibling subdomain from planting one of its own
 * (draft-ietf-httpbis-rfc6265bis, section 4.1.3.2); browsers take it over https only.
 */
export const sessionCookie = (config: Pick<Config, 'publicUrl'>): SessionCookie => {
  const secure = config.publicUrl.startsWith('https:')
  return {
    name: secure ? '__Host-outdial_session' : 'outdial_session',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  }
}

import { boundedText } from '@outdial/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { signedOutError, tooManyAttemptsError } from '../../platform/views/page-error.ts'
import { findPassword, verifyPassword } from '../identity/passwords.ts'
import { endSession, findSession, lockSession, type Session, startSession } from '../identity/sessions.ts'
import { foldEmail, type User } from '../identity/users.ts'
import { createSignInLimits } from './attempt-limit.ts'

export const SignInForm = z.object({
  // PostgreSQL rejects text with a NUL character.
  email: boundedText(254)
    .regex(/^[^\0]*$/)
    .catch(''),
  password: boundedText(1024).catch(''),
})

export const wrongPasswordMessage = 'Incorrect email or password. Check both and try again.'

/** Creates sign-in and sign-out for browsers. All pages share one instance, because it counts sign-in attempts. */
export function createBrowserAuth(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify' | 'secretBox' | 'replicas'>,
) {
  const cookie = sessionCookie(deps.config)
  const device = deviceCookie(deps)
  const limits = createSignInLimits(deps)
  const getToken = (request: FastifyRequest) => request.cookies[cookie.name]

  const getSession = async (request: FastifyRequest): Promise<Session | undefined> => {
    const session = await findSession(deps, getToken(request))
    if (session !== undefined) request.credentialKey = `user:${session.user.userId}`
    return session
  }

  /** Replaces the browser's session with a new one. Returns false if the password was changed in the meantime. */
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
    // Sets a duration instead of a date, because the browser's clock may differ from the service's.
    const maxAge = Math.floor((expiresAt.getTime() - deps.clock.now().getTime()) / secondMs)
    void reply.setCookie(cookie.name, token, { ...cookie.options, maxAge })
    device.set(reply, userId)
    return true
  }

  return {
    begin: startBrowserSession,

    getUser: async (request: FastifyRequest): Promise<User | undefined> => (await getSession(request))?.user,

    getSession,

    /**
     * Starts a session and returns the user's ID, or undefined if the email or password is wrong.
     * @throws {PageError} after too many failed sign-in attempts
     */
    signIn: async (request: FastifyRequest, reply: FastifyReply): Promise<number | undefined> => {
      const form = SignInForm.parse(request.body)
      const account = foldEmail(form.email)
      const user = account === undefined ? undefined : await findPassword(deps, account)
      const isKnownDevice = user !== undefined && device.isKnown(request, user.id)
      const attempt = { ip: request.ip, account: account ?? '', isKnownDevice }
      const exceeded = await limits.consume(attempt)
      if (exceeded !== undefined) throw tooManyAttemptsError(exceeded)
      const matches = await verifyPassword(user, form.password)
      if (!matches || user === undefined) return undefined
      if (!(await startBrowserSession(request, reply, user.id, user.passwordHash))) return undefined
      await limits.succeed(attempt)
      return user.id
    },

    signOut: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await endSession(deps, getToken(request))
      void reply.clearCookie(cookie.name, cookie.options)
    },
  }
}

/**
 * Requires that a session hasn't ended, and locks it until the transaction ends. Use it for changes that outlast the session,
 * such as a new membership.
 *
 * @throws {PageError} 403
 */
export async function requireSession(tx: Pick<Deps, 'db'>, { idHash }: Session): Promise<void> {
  if (!(await lockSession(tx, idHash))) throw signedOutError()
}

export type BrowserAuth = ReturnType<typeof createBrowserAuth>

interface SessionCookie {
  name: string
  options: { path: '/'; httpOnly: true; sameSite: 'lax'; secure: boolean }
}

/**
 * Returns the name and options of the session cookie. The `__Host-` prefix stops sibling subdomains from setting it
 * (draft-ietf-httpbis-rfc6265bis, section 4.1.3.2). Browsers accept the prefix only over HTTPS.
 */
export const sessionCookie = (config: Pick<Config, 'publicUrl'>): SessionCookie => {
  const secure = config.publicUrl.startsWith('https:')
  return {
    name: secure ? '__Host-outdial_session' : 'outdial_session',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  }
}

/** The longest that browsers keep a cookie (draft-ietf-httpbis-rfc6265bis, section 5.5), in seconds. */
const deviceLifetimeSeconds = 400 * 24 * 60 * 60

/** Marks browsers that have signed in to an account, so that a stranger's attempts don't lock its owner out. */
function deviceCookie({ config, secretBox }: Pick<Deps, 'config' | 'secretBox'>) {
  const { options } = sessionCookie(config)
  const name = options.secure ? '__Host-outdial_device' : 'outdial_device'
  return {
    set: (reply: FastifyReply, userId: number): void =>
      void reply.setCookie(name, secretBox.seal(`device ${userId}`, ['cookie', name]), {
        ...options,
        maxAge: deviceLifetimeSeconds,
      }),
    isKnown: (request: FastifyRequest, userId: number): boolean => {
      try {
        return secretBox.open(request.cookies[name] ?? '', ['cookie', name]) === `device ${userId}`
      } catch {
        return false // missing, or not sealed by this service
      }
    },
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'

/** A message that the next page shows once. */
export const Flash = z.object({
  kind: z.enum(['success', 'error']),
  text: z.string().max(1000),
  /** Path of the action behind the Undo button, in a workspace. */
  undo: z
    .string()
    .max(200)
    .regex(/^\/w\/\d{1,15}(?:\/[\w-]{1,50}){1,5}$/)
    .optional(),
})
export type Flash = z.infer<typeof Flash>

/**
 * Returns the cookie's name. With the `__Host-` prefix, sibling subdomains can't set it. The session cookie has the
 * prefix, too.
 */
const cookieName = (secure: boolean) => (secure ? '__Host-outdial_flash' : 'outdial_flash')
const maxAgeSeconds = 60

export function setFlash(reply: FastifyReply, flash: Flash, secure: boolean): void {
  const value = Buffer.from(JSON.stringify(flash)).toString('base64url')
  void reply.setCookie(cookieName(secure), value, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    maxAge: maxAgeSeconds,
  })
}

/** Reads the message and clears the cookie, so that the message is shown only once. */
export function takeFlash(request: FastifyRequest, reply: FastifyReply, secure: boolean): Flash | null {
  const value = request.cookies[cookieName(secure)]
  if (value === undefined) return null
  void reply.clearCookie(cookieName(secure), { path: '/', secure })
  return parseFlash(Buffer.from(value, 'base64url').toString())
}

function parseFlash(text: string): Flash | null {
  try {
    return Flash.parse(JSON.parse(text))
  } catch {
    return null // not a cookie that we set
  }
}

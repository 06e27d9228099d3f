import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'

/** What a person is told once, on the page that follows. */
export const Flash = z.object({ kind: z.enum(['success', 'error']), text: z.string().max(1000) })
export type Flash = z.infer<typeof Flash>

/** With the prefix no sibling subdomain can plant one, as with the session's. */
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

/** Takes it from the browser: the next page does not show it again. */
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
    return null // a cookie that is none of ours says nothing
  }
}

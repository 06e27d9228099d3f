import type { FastifyReply, FastifyRequest } from 'fastify'
import { secondMs } from '../../platform/core/durations.ts'
import { maxLagMs } from '../../platform/replicas/read-replica.ts'

/** How long the overview shows counts of many calls. */
export const maxCountAgeMs = 10 * secondMs

/**
 * Marks a browser that has just sent a form. Until its pages certainly include the form's change, its lists don't come
 * from a read replica, which lags at most `maxLagMs`, and its counts aren't older than the form.
 */
const maxAgeSeconds = (maxLagMs + maxCountAgeMs + 5 * secondMs) / secondMs

const cookieName = (secure: boolean) => (secure ? '__Host-outdial_changed' : 'outdial_changed')

export const markChange = (reply: FastifyReply, secure: boolean): FastifyReply =>
  reply.setCookie(cookieName(secure), '1', {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    maxAge: maxAgeSeconds,
  })

export const hasRecentChange = (request: FastifyRequest, secure: boolean): boolean =>
  request.cookies[cookieName(secure)] !== undefined

import type { FastifyReply, FastifyRequest } from 'fastify'
import { secondMs } from '../../platform/core/durations.ts'
import { maxLagMs } from '../../platform/replicas/read-replica.ts'

/** How long the overview can show the same counts if it counts many calls. */
export const maxCountAgeMs = 10 * secondMs

/**
 * How long a browser is marked after it sent a form. While it's marked, its pages include the form's change: lists don't come
 * from a read replica, which lags at most `maxLagMs`, and counts aren't older than the form.
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

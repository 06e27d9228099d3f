import type { FastifyReply, FastifyRequest } from 'fastify'
import { secondMs } from '../../core/durations.ts'
import { maxLagMs } from '../../replicas/read-replica.ts'

/**
 * Marks a browser that has just sent a form. Its lists don't come from a read replica until the replica certainly has
 * what the form changed: the replica isn't used if it's older than `maxLagMs`.
 */
const maxAgeSeconds = (maxLagMs + 5 * secondMs) / secondMs

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

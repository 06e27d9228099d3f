import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { dayMs } from '../core/durations.ts'

/** How many days the file is valid. RFC 9116, section 2.5.5, recommends less than a year. */
const validForDays = 180

/** Mounts `/.well-known/security.txt` (RFC 9116) if SECURITY_CONTACT says where to report a vulnerability. */
export function mountSecurityTxt(
  app: FastifyInstance,
  { config, clock }: Pick<Deps, 'config' | 'clock'>,
): void {
  const { securityContact, publicUrl } = config
  if (securityContact === undefined) return
  const path = '/.well-known/security.txt'
  app.get(path, { schema: { hide: true } }, async (_request, reply) => {
    const days = Math.floor(clock.now().getTime() / dayMs) + validForDays
    const lines = [
      `Contact: ${securityContact}`,
      `Expires: ${new Date(days * dayMs).toISOString()}`,
      'Preferred-Languages: en',
      `Canonical: ${publicUrl}${path}`,
    ]
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`)
  })
}

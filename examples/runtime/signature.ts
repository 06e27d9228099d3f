import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const toleranceSeconds = 300

/**
 * Returns true if Outdial sent the request (Standard Webhooks 1.0). The key is the runtime secret's bytes. The signed
 * content is the body, or "METHOD path" for a request without one. During a secret rotation, there are two signatures.
 */
export function verifySignature(secret: string, headers: IncomingHttpHeaders, content: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (typeof id !== 'string' || typeof signatures !== 'string' || !(age <= toleranceSeconds)) return false
  const expected = createHmac('sha256', secret)
    .update(`${id}.${String(timestamp)}.${content}`)
    .digest()
  return signatures.split(' ').some((signature) => {
    const received = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
    return received.length === expected.length && timingSafeEqual(received, expected)
  })
}

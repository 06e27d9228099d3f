import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const toleranceSeconds = 300

/**
 * Whether Outdial sent this: Standard Webhooks 1.0, its key the bytes of the runtime secret. What is signed is the
 * body, or "METHOD path" where there is none. While the secret is being exchanged there are two signatures.
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

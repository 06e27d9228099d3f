import type { IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'

/**
 * Returns true if Outdial sent the request in the last five minutes. The signed content is the body, or "METHOD path"
 * for a request without one. During a rotation of the key, there are two signatures.
 */
export function verifySignature(signingKey: string, headers: IncomingHttpHeaders, content: string): boolean {
  const received = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
      name,
      String(headers[name] ?? ''),
    ]),
  )
  try {
    new Webhook(signingKey).verify(content, received, { jsonParse: false })
    return true
  } catch {
    return false
  }
}

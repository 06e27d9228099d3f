import { createHmac } from 'node:crypto'

/**
 * The headers of Standard Webhooks 1.0 for a body that is sent exactly as it is given here. Each secret
 * (`whsec_` and base64) signs, so that a receiver may know the old or the new one while it is exchanged.
 */
export function signWebhook(message: { id: string; at: Date; body: string; secrets: string[] }) {
  const timestamp = String(Math.floor(message.at.getTime() / 1000))
  const signed = `${message.id}.${timestamp}.${message.body}`
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': message.secrets.map((secret) => `v1,${hmac(secret, signed)}`).join(' '),
  }
}

const hmac = (secret: string, signed: string): string =>
  createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(signed)
    .digest('base64')

import { createHmac } from 'node:crypto'
import { secondMs } from '../core/durations.ts'

/**
 * The headers of Standard Webhooks 1.0 for a body that is sent exactly as it is given here. Each key
 * signs, so that a receiver may know the old or the new one while it is exchanged.
 */
export function signWebhook(message: { id: string; at: Date; body: string; keys: Buffer[] }) {
  const timestamp = String(Math.floor(message.at.getTime() / secondMs))
  const signed = `${message.id}.${timestamp}.${message.body}`
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': message.keys.map((key) => `v1,${hmac(key, signed)}`).join(' '),
  }
}

const hmac = (key: Buffer, signed: string): string =>
  createHmac('sha256', key).update(signed).digest('base64')

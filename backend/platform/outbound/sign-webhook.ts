import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { secondMs } from '../core/durations.ts'

/**
 * Returns the Standard Webhooks 1.0 headers for a body, which must be sent unchanged. Signs with each key, so that a
 * receiver can verify with the old or the new key during a rotation.
 */
export function signWebhook(message: { id: string; at: Date; body: string; keys: KeyObject[] }) {
  const timestamp = String(Math.floor(message.at.getTime() / secondMs))
  const signed = `${message.id}.${timestamp}.${message.body}`
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': message.keys.map((key) => `v1,${hmac(key, signed)}`).join(' '),
  }
}

/** Decodes a Standard Webhooks secret, which is `whsec_` and the key in base64. */
export const toSigningKey = (secret: string): KeyObject =>
  createSecretKey(secret.replace(/^whsec_/, ''), 'base64')

const hmac = (key: KeyObject, signed: string): string =>
  createHmac('sha256', key).update(signed).digest('base64')

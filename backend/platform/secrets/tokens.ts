import { hash, randomBytes } from 'node:crypto'

/**
 * Returns the SHA-256 that's stored or compared instead of a token, key, or ID. There's no salt, because tokens, keys, and
 * IDs are random.
 */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Returns `length` random bytes in base64url. */
export const randomToken = (length = 32): string => randomBytes(length).toString('base64url')

/** Returns a signing secret of 32 random bytes, as Standard Webhooks 1.0 defines it. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

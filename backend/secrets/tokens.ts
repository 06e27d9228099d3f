import { createHash, randomBytes } from 'node:crypto'

/** SHA-256: how tokens, keys and ids are kept. They are random, so no salt is needed. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** `length` random bytes in base64url. */
export const randomToken = (length = 32): string => randomBytes(length).toString('base64url')

/** A signing secret after Standard Webhooks 1.0: 32 random bytes. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

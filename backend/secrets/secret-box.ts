import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** Encrypts values that the database stores and the service needs in plain text again. */
export interface SecretBox {
  seal(plain: string): string
  /** Throws if none of the keys decrypts it. */
  open(sealed: string): string
}

/**
 * Encrypts with AES-256-GCM (NIST SP 800-38D). The first key encrypts and every key decrypts, so that keys can rotate.
 * `keys` are passphrases of any length with at least 32 random characters; each is hashed to 256 bits.
 */
export function createSecretBox(keys: readonly string[]): SecretBox {
  const hashed = keys.map((key) => createHash('sha256').update(key).digest())
  const [encryptionKey] = hashed
  if (encryptionKey === undefined) throw new Error('createSecretBox needs at least one key')

  return {
    seal: (plain) => {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, iv)
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return `v1.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open: (sealed) => {
      if (!sealed.startsWith('v1.')) throw new Error('not a sealed secret')
      const bytes = Buffer.from(sealed.slice(3), 'base64url')
      for (const key of hashed) {
        const plain = tryOpen(key, bytes)
        if (plain !== undefined) return plain
      }
      throw new Error('no key in SECRET_KEY decrypts this secret')
    },
  }
}

function tryOpen(key: Buffer, bytes: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    decipher.setAuthTag(bytes.subarray(12, 28))
    return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined // encrypted with another key
  }
}

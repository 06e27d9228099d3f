import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/**
 * Where a sealed value belongs. For a stored value, it's `table.column` and the row's key, workspace first. A current and a
 * previous secret share a place, because a rotation copies one to the other. For a cookie, it's the cookie's name; for a
 * message between processes, the channel; for a value in a form, the form's path.
 */
export type SealedPlace =
  | readonly ['workspace.webhook_secret', workspaceId: number]
  | readonly ['webhook_subscription.secret', workspaceId: number, subscriptionId: number]
  | readonly ['oauth_client.secret', clientId: string]
  | readonly ['mcp_tool.secrets', workspaceId: number, toolId: number]
  | readonly ['google_account.private_key', workspaceId: number]
  | readonly ['server_secret.value', name: string]
  | readonly ['cookie', name: string]
  | readonly ['message', channel: string]
  | readonly ['form_author', path: string]
  | readonly ['sealed_form', path: string, userId: number]

/** Encrypts values that the service must be able to read again, unlike hashed ones. */
export interface SecretBox {
  seal(plain: string, place: SealedPlace): string
  /** Decrypts a value. Throws if none of the keys decrypts it, or it was sealed for another place, such as another row. */
  open(sealed: string, place: SealedPlace): string
  /** Returns a value unchanged if the first key decrypts it. Otherwise, seals it again. Throws like `open`. */
  reseal(sealed: string, place: SealedPlace): string
}

/**
 * Creates a box that encrypts with AES-256-GCM (NIST SP 800-38D). The place is the associated data, so a value that's copied
 * to another row can't be opened there. The first key encrypts and every key decrypts, so that keys can rotate. `keys` are
 * passphrases of at least 32 random characters; each is hashed to 256 bits.
 */
export function createSecretBox(keys: readonly string[]): SecretBox {
  const hashedKeys = keys.map(hashKey)
  const [encryptionKey] = hashedKeys
  if (encryptionKey === undefined) throw new Error('createSecretBox needs at least one key')

  const seal = (plain: string, place: SealedPlace) => {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', encryptionKey, iv).setAAD(toAssociatedData(place))
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
    return `v2.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
  }
  const open = (sealed: string, place: SealedPlace) => {
    if (!sealed.startsWith('v2.')) throw new Error('not a sealed secret')
    const plain = tryKeys(hashedKeys, sealed, toAssociatedData(place))
    if (plain === undefined) throw new Error('no key in SECRET_KEY decrypts this secret here')
    return plain
  }
  const isCurrent = (sealed: string, place: SealedPlace) =>
    tryKeys([encryptionKey], sealed, toAssociatedData(place)) !== undefined
  return {
    seal,
    open,
    reseal: (sealed, place) => (isCurrent(sealed, place) ? sealed : seal(open(sealed, place), place)),
  }
}

/** Returns a `KeyObject`, because Node takes much longer to start a cipher with the bytes of a key. */
const hashKey = (key: string): KeyObject => createSecretKey(createHash('sha256').update(key).digest())

const toAssociatedData = (place: SealedPlace): Buffer => Buffer.from(JSON.stringify(place))

function tryKeys(
  hashedKeys: readonly KeyObject[],
  sealed: string,
  associatedData: Buffer,
): string | undefined {
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  for (const key of hashedKeys) {
    const plain = tryOpen(key, bytes, associatedData)
    if (plain !== undefined) return plain
  }
  return undefined
}

function tryOpen(key: KeyObject, bytes: Buffer, associatedData: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    decipher.setAAD(associatedData)
    decipher.setAuthTag(bytes.subarray(12, 28))
    return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined // encrypted with another key, or for another place
  }
}

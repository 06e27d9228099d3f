import { createHmac, timingSafeEqual } from 'node:crypto'

/** A kind of token that says what one object with a UUID may do. */
export interface IdTokenKind {
  /** Every token of the kind begins with it. */
  prefix: string
  /** Is part of what the HMAC covers, so that a token of one kind can't be made from a token of another. */
  purpose: string
}

const idBytes = 16
const macBytes = 32

/**
 * Returns the token of an object: its ID and an HMAC of purpose and ID. The same object always gets the same token, so
 * every process needs nothing but the key, and the database stores no token.
 */
export function createIdToken(kind: IdTokenKind, key: Buffer, objectId: string): string {
  const id = Buffer.from(objectId.replaceAll('-', ''), 'hex')
  return kind.prefix + Buffer.concat([id, computeMac(kind, key, id)]).toString('base64url')
}

/** Returns the ID of the object that a token belongs to. Undefined if the key didn't create the token. */
export function readIdToken(kind: IdTokenKind, key: Buffer, token: string): string | undefined {
  const { prefix } = kind
  if (!token.startsWith(prefix)) return undefined
  const bytes = Buffer.from(token.slice(prefix.length), 'base64url')
  if (bytes.length !== idBytes + macBytes) return undefined
  const id = bytes.subarray(0, idBytes)
  if (!timingSafeEqual(bytes.subarray(idBytes), computeMac(kind, key, id))) return undefined
  // Decoding ignores some characters, so a token would have other spellings.
  if (prefix + bytes.toString('base64url') !== token) return undefined
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const computeMac = ({ purpose }: IdTokenKind, key: Buffer, id: Buffer): Buffer =>
  createHmac('sha256', key).update(purpose).update(id).digest()

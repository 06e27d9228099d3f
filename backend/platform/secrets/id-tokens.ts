import { createHmac, timingSafeEqual } from 'node:crypto'

/** A kind of token that gives access for one object with a UUID, such as an attempt. */
export interface IdTokenKind {
  /** The start of every token of this kind. */
  prefix: string
  /** Part of the HMAC's input, so that a token of one kind can't be changed into a token of another kind. */
  purpose: string
}

const idBytes = 16
const macBytes = 32

/**
 * Returns the token of an object: its ID and an HMAC of purpose and ID. The same object always gets the same token, so
 * every process can compute it from the key, and the database doesn't store it.
 */
export function createIdToken(kind: IdTokenKind, key: Buffer, objectId: string): string {
  const id = Buffer.from(objectId.replaceAll('-', ''), 'hex')
  return kind.prefix + Buffer.concat([id, computeMac(kind, key, id)]).toString('base64url')
}

/** Returns the ID of the object that a token belongs to, or undefined if the token wasn't created with the key. */
export function readIdToken(kind: IdTokenKind, key: Buffer, token: string): string | undefined {
  const { prefix } = kind
  if (!token.startsWith(prefix)) return undefined
  const bytes = Buffer.from(token.slice(prefix.length), 'base64url')
  if (bytes.length !== idBytes + macBytes) return undefined
  const id = bytes.subarray(0, idBytes)
  if (!timingSafeEqual(bytes.subarray(idBytes), computeMac(kind, key, id))) return undefined
  // Decoding ignores some characters. Without this check, a token would have several valid spellings.
  if (prefix + bytes.toString('base64url') !== token) return undefined
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const computeMac = ({ purpose }: IdTokenKind, key: Buffer, id: Buffer): Buffer =>
  createHmac('sha256', key).update(purpose).update(id).digest()

/** The block size of SHA-256 in bytes, to which HMAC pads its key (RFC 2104). */
const blockBytes = 64

/**
 * Returns the statement that makes the do-not-call list's key known to a session, for the SQL function `number_hash`.
 * PostgreSQL has no HMAC function, so the session gets the two keys that HMAC makes from this key and its two paddings.
 *
 * @param key has at most 64 bytes
 */
export const doNotCallSettings = (key: Buffer): { text: string; values: string[] } => ({
  text: `select set_config('outdial.do_not_call_inner_key', $1, false), set_config('outdial.do_not_call_outer_key', $2, false)`,
  values: [combine(key, 0x36), combine(key, 0x5c)],
})

function combine(key: Buffer, padding: number): string {
  const padded = Buffer.concat([key, Buffer.alloc(blockBytes - key.length)])
  return Buffer.from(padded.map((byte) => byte ^ padding)).toString('hex')
}

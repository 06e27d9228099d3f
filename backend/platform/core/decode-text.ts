/** Reports that a file isn't text but, for example, an image or a program. */
export class NotTextError extends Error {
  override name = 'NotTextError'
}

/** The character that decoding puts in place of bytes that are invalid in the encoding. */
export const replacementCharacter = '\uFFFD'

/** The encoding that older programs write. Any bytes are valid in it, so a wrong guess isn't noticed. */
export const fallbackEncoding = 'windows-1252'

/**
 * Decodes a file as UTF-8 or UTF-16, which it detects by the byte order mark or the bytes. Any other file is read in
 * `declaredEncoding` if that encoding is known, as UTF-8 if only a few characters are damaged, or else in Windows-1252,
 * which older programs write.
 *
 * @throws {NotTextError}
 */
export const decodeText = (bytes: Uint8Array, declaredEncoding?: string): string =>
  decodeFile(bytes, declaredEncoding).text

/**
 * Decodes a file as `decodeText` does, and returns its encoding as well.
 *
 * @throws {NotTextError}
 */
export function decodeFile(bytes: Uint8Array, declaredEncoding?: string): { text: string; encoding: string } {
  const encoding = detectEncoding(bytes, declaredEncoding)
  const text = new TextDecoder(encoding).decode(bytes)
  // Text doesn't contain these control characters.
  if (/[\u0000-\u0008\u000E-\u001A\u001C-\u001F]/.test(text)) throw new NotTextError()
  return { text, encoding }
}

function detectEncoding(bytes: Uint8Array, declaredEncoding: string | undefined): string {
  const utf16Encoding = detectUtf16(bytes)
  if (utf16Encoding !== undefined) return utf16Encoding
  if (isUtf8(bytes)) return 'utf-8'
  if (declaredEncoding !== undefined && isKnownEncoding(declaredEncoding)) return declaredEncoding
  return isMostlyUtf8(bytes) ? 'utf-8' : fallbackEncoding
}

function isKnownEncoding(encoding: string): boolean {
  try {
    new TextDecoder(encoding)
    return true
  } catch {
    return false
  }
}

/**
 * Detects UTF-16 by its byte order mark, or by zeros in the first 1,024 bytes: more than half of the bytes at odd (or even)
 * positions are zero, and none of the others.
 */
function detectUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const start = bytes.subarray(0, 1024)
  const zeros = [0, 0]
  start.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  if (odd > start.length / 4 && even === 0) return 'utf-16le'
  if (even > start.length / 4 && odd === 0) return 'utf-16be'
  return undefined
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/**
 * Returns whether the bytes are slightly damaged UTF-8. The invalid characters must be fewer than the valid non-ASCII
 * characters, and at most 1 or 1% of both together, whichever is more. In text of another encoding, hardly any non-ASCII
 * character would be valid UTF-8 by chance.
 */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  let valid = 0
  let bad = 0
  for (const character of new TextDecoder().decode(bytes)) {
    if (character === replacementCharacter) bad += 1
    else if (character > '\u007F') valid += 1
  }
  return bad < valid && bad <= Math.max(1, (valid + bad) / 100)
}

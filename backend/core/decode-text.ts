/** The bytes aren't text, but for example an image or a program. */
export class NotTextError extends Error {
  override name = 'NotTextError'
}

/**
 * Decodes a file as UTF-8 or UTF-16, which it detects by the byte order mark or the bytes. Anything else is
 * read in `declaredEncoding`, or in Windows-1252, which older programs write.
 *
 * @throws {NotTextError}
 */
export function decodeText(bytes: Uint8Array, declaredEncoding = fallbackEncoding): string {
  const text = new TextDecoder(detectEncoding(bytes, declaredEncoding)).decode(bytes)
  // Text doesn't contain these control characters.
  if (/[\u0000-\u0008\u000E-\u001A\u001C-\u001F]/.test(text)) throw new NotTextError()
  return text
}

const fallbackEncoding = 'windows-1252'

function detectEncoding(bytes: Uint8Array, declaredEncoding: string): string {
  const utf16Encoding = detectUtf16(bytes)
  if (utf16Encoding !== undefined) return utf16Encoding
  if (isUtf8(bytes)) return 'utf-8'
  return isKnownEncoding(declaredEncoding) ? declaredEncoding : fallbackEncoding
}

function isKnownEncoding(encoding: string): boolean {
  try {
    new TextDecoder(encoding)
    return true
  } catch {
    return false
  }
}

/** Detects UTF-16 by its byte order mark, or where every other byte of the start is mostly zero. */
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

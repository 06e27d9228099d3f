const mostBytes = 16 * 1024

/** Cuts a text that would fill an agent's memory, and says so. `bytes` are of UTF-8. */
export function truncateText(text: string, bytes = mostBytes): string {
  const encoded = Buffer.from(text)
  if (encoded.length <= bytes) return text
  // In the middle of a stream, a decoder keeps half a character to itself.
  const cut = new TextDecoder().decode(encoded.subarray(0, bytes), { stream: true })
  return `${cut}… [The answer is longer than the ${bytes / 1024} KiB shown here.]`
}

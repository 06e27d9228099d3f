const defaultMaxBytes = 16 * 1024

/** Cuts a text that would fill an agent's memory, and says so. `bytes` are of UTF-8. */
export function truncateText(text: string, maxBytes = defaultMaxBytes): string {
  const encoded = Buffer.from(text)
  if (encoded.length <= maxBytes) return text
  // In the middle of a stream, a decoder keeps half a character to itself.
  const cut = new TextDecoder().decode(encoded.subarray(0, maxBytes), { stream: true })
  return `${cut}… [The answer is longer than the ${maxBytes / 1024} KiB shown here.]`
}

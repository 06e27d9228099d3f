/** Texts that people and programs write into a field that has no value. */
const placeholders = new Set(['n/a', 'null', 'undefined', 'none', '-'])

/**
 * Returns true for a text that stands for a blank field. Don't use it for phone numbers, countries, or the answer to "Do not
 * call?", where such a text is an error or has a meaning.
 */
export const isPlaceholder = (text: string): boolean =>
  placeholders.has(
    text
      .trim()
      .toLowerCase()
      .replace(/^[-–—]+$/, '-'),
  )

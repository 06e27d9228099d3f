/** Texts that people and programs write into a field that has no value. */
const placeholders = new Set(['n/a', 'null', 'undefined', 'none', '-'])

/**
 * Returns whether a text stands for a blank field. Not for phone numbers, countries, and the answer to "Do not call?", where
 * such a text is an error or has a meaning.
 */
export const isPlaceholder = (text: string): boolean =>
  placeholders.has(
    text
      .trim()
      .toLowerCase()
      .replace(/^[-–—]+$/, '-'),
  )

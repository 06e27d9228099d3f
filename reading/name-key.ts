/** Returns a name in lower case, without accents, punctuation, and a leading "the", so that all spellings of it are equal. */
export const toNameKey = (name: string): string =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replace(/^\s*the\s/, '')
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Text as a database can keep it: no NUL, and no half of a character. */
export const toStorableText = (text: string): string => text.replaceAll('\u0000', '\uFFFD').toWellFormed()

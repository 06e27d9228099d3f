const smallWords = new Set(['a', 'an', 'and', 'at', 'by', 'for', 'in', 'of', 'on', 'or', 'the', 'to'])
const acronyms: Record<string, string> = { id: 'ID', url: 'URL' }

/** Returns a label in Title Case: "If a call is waiting or in progress" becomes "If a Call Is Waiting or in Progress". */
export const toTitleCase = (label: string): string =>
  label
    .split(' ')
    .map((word, index, { length }) => {
      const isInside = index > 0 && index < length - 1
      const isSmall = smallWords.has(word.replace('(', '').toLowerCase())
      return isInside && isSmall ? word.toLowerCase() : capitalize(word)
    })
    .join(' ')

/** Returns the label for a field name of the API: `contact.first_name` becomes "Contact First Name". */
export const nameToLabel = (name: string): string =>
  toTitleCase(
    name
      .split(/[._]+/)
      .map((word) => acronyms[word] ?? word)
      .join(' '),
  )

/** Capitalizes a word, and the parts of a compound: "Do-Not-Call". */
const capitalize = (word: string): string =>
  word.replace(/(?<![a-z'])[a-z]/gi, (letter) => letter.toUpperCase())

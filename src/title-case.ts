const smallWords = new Set(['a', 'an', 'and', 'at', 'by', 'for', 'in', 'of', 'on', 'or', 'the', 'to'])
const acronyms: Record<string, string> = { id: 'ID', url: 'URL' }

/** Returns a label in Title Case: "If a call is already waiting" becomes "If a Call Is Already Waiting". */
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

/** Also capitalizes the parts of a compound: "Do-Not-Call". */
const capitalize = (word: string): string =>
  word.replace(/(?<![a-z'])[a-z]/gi, (letter) => letter.toUpperCase())

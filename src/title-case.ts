const smallWords = new Set(['a', 'an', 'and', 'at', 'by', 'for', 'in', 'of', 'on', 'or', 'the', 'to'])
const acronyms: Record<string, string> = { id: 'ID', url: 'URL' }

/** A label as Zapier writes it: "If a call is already waiting" becomes "If a Call Is Already Waiting". */
export const toTitleCase = (label: string): string =>
  label
    .split(' ')
    .map((word, index, { length }) => {
      const isInside = index > 0 && index < length - 1
      return isInside && smallWords.has(word) ? word : capitalize(word)
    })
    .join(' ')

/** A name of the API as a label: `contact.first_name` becomes "Contact First Name". */
export const nameToLabel = (name: string): string =>
  toTitleCase(
    name
      .split(/[._]+/)
      .map((word) => acronyms[word] ?? word)
      .join(' '),
  )

const capitalize = (word: string): string => word.replace(/[a-z]/i, (letter) => letter.toUpperCase())

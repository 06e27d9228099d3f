/**
 * Returns the first words of the agent: its greeting, and the sentence that it's an AI, unless the greeting has it.
 *
 * If the agent speaks first, the disclosure comes before a question at the end, because the contact answers the last thing that
 * they hear. If the contact speaks first, they already wait to hear who is calling, so it comes first.
 *
 * @param greeting with its placeholders filled. Blank if the model greets.
 * @param disclosure blank if it's off
 */
export function withDisclosure(
  greeting: string,
  disclosure: string,
  speaksFirst: 'agent' | 'contact',
): string {
  const [opening, sentence] = [greeting.trim(), disclosure.trim()]
  if (isSaidIn(opening, sentence)) return opening
  if (speaksFirst === 'contact') return join(sentence, opening)
  const at = findLastQuestion(opening)
  return join(opening.slice(0, at), sentence, opening.slice(at))
}

const join = (...parts: string[]): string =>
  parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ')

const isSaidIn = (greeting: string, disclosure: string): boolean =>
  toLettersAndDigits(greeting).includes(toLettersAndDigits(disclosure))

const toLettersAndDigits = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')

/** Matches a text that ends with an initial, or with a title before a name, but not with a sentence. */
const abbreviation = /(?:^|[^\p{L}])(?:\p{L}|mr|mrs|ms|dr|prof|st|hr|fr|sr|sra|srta|mme|mlle)\.$/iu

/** The characters of the longest one, with the one before it. */
const maxAbbreviation = ' srta.'.length

/** Returns where the question at the end of a text starts, or the text's length if there's none. */
function findLastQuestion(text: string): number {
  if (!/[?？]["'”»)]*$/.test(text)) return text.length
  const ends = [...text.matchAll(/[.!?…]["'”»)]*(?=\s)|[。！？]/g)].map(
    ({ 0: end, index }) => index + end.length,
  )
  const isSentenceEnd = (end: number) =>
    !abbreviation.test(text.slice(Math.max(0, end - maxAbbreviation), end))
  return ends.findLast((end) => end < text.length && isSentenceEnd(end)) ?? 0
}

/**
 * Returns the agent's first words: its greeting and the AI disclosure. Omits the disclosure if the greeting contains it.
 *
 * If the agent speaks first, the disclosure comes before a question at the end, because the contact answers the last thing that
 * they hear. If the contact speaks first, the disclosure comes first, because the contact is waiting to hear who is calling.
 *
 * @param greeting the greeting, with its placeholders filled. Blank if the model greets.
 * @param disclosure the sentence that says that the agent is an AI. Blank if the disclosure is off.
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

/**
 * Matches a text that ends with an initial or a title, such as "Dr.". The period of such an abbreviation doesn't end a
 * sentence.
 */
const abbreviation = /(?:^|[^\p{L}])(?:\p{L}|mr|mrs|ms|dr|prof|st|hr|fr|sr|sra|srta|mme|mlle)\.$/iu

/** The number of characters in the longest abbreviation, plus the character before it. */
const maxAbbreviation = ' srta.'.length

/** Returns where the question at the end of a text starts, or the text's length if it doesn't end with a question. */
function findLastQuestion(text: string): number {
  if (!/[?？]["'”»)]*$/.test(text)) return text.length
  const ends = [...text.matchAll(/[.!?…]["'”»)]*(?=\s)|[。！？]/g)].map(
    ({ 0: end, index }) => index + end.length,
  )
  const isSentenceEnd = (end: number) =>
    !abbreviation.test(text.slice(Math.max(0, end - maxAbbreviation), end))
  return ends.findLast((end) => end < text.length && isSentenceEnd(end)) ?? 0
}

/** Maximum characters of a passage. Reading it aloud takes about a minute. */
const maxPassageLength = 800

/**
 * Splits a text into passages at its paragraphs. Short adjacent paragraphs share a passage. A long paragraph is split
 * after a sentence, else between words, else between characters. Only whitespace is lost or added.
 *
 * @returns passages of at most `maxLength` characters, trimmed; none for a blank text
 */
export function splitIntoPassages(text: string, maxLength = maxPassageLength): string[] {
  const pieces = text
    .split(/\r?\n[^\S\n]*\r?\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .flatMap((paragraph) => splitParagraph(paragraph, maxLength))

  const passages: string[] = []
  for (const piece of pieces) {
    const last = passages.at(-1)
    if (last !== undefined && last.length + 2 + piece.length <= maxLength) {
      passages[passages.length - 1] = `${last}\n\n${piece}`
    } else {
      passages.push(piece)
    }
  }
  return passages
}

function splitParagraph(paragraph: string, maxLength: number): string[] {
  const pieces: string[] = []
  let rest = paragraph
  while (rest.length > maxLength) {
    const end = findPieceEnd(rest, maxLength)
    pieces.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return rest === '' ? pieces : [...pieces, rest]
}

/** Returns where the first piece of a text ends. The text is longer than `maxLength`. */
function findPieceEnd(text: string, maxLength: number): number {
  // Includes one more character, because a blank right after the piece also ends it.
  const start = text.slice(0, maxLength + 1)
  const afterSentence = lastMatch(start, /[.!?:;]["')\]]*(?=\s)/g)
  if (afterSentence > maxLength / 2) return afterSentence
  const afterWord = lastMatch(start, /\S(?=\s)/g)
  if (afterWord > 0) return afterWord
  // Doesn't split a surrogate pair.
  return /[\uD800-\uDBFF]/.test(text.charAt(maxLength - 1)) && maxLength > 1 ? maxLength - 1 : maxLength
}

/** Returns where the last match ends, or 0 if there is none. */
function lastMatch(text: string, pattern: RegExp): number {
  let end = 0
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length
  return end
}

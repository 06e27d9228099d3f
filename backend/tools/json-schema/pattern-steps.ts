/** What matches one character, and how often it may. Nothing that nests, chooses, looks around or refers back. */
const patternPiece =
  /(?:[^\\^$.*+?()[\]{}|]|\.|\\[dDwWsS./+*?()[\]{}|^$\\-]|\[(?:[^\]\\]|\\.)*\])(?:([?*+])|\{(\d{1,3})(?:(,)(\d{1,3})?)?\})?\??/gsuy

/**
 * How many steps a regular expression takes at most for each character of a text: for a simple one, anchored at its
 * beginning, with no more than one part of any length. Infinity for all others: they may take any time.
 */
export function countPatternSteps(pattern: string): number {
  if (!pattern.startsWith('^')) return Infinity
  const body = pattern.slice(1).replace(/(?<!\\)\$$/, '')
  const pieces = [...body.matchAll(patternPiece)]
  if (pieces.reduce((length, [text]) => length + text.length, 0) !== body.length) return Infinity
  const counts = pieces.map(parseRepetition)
  if (counts.filter(({ max }) => max === Infinity).length > 1) return Infinity
  // After each count that a piece may have, what follows it is tried anew. One of any length is paid by the characters.
  return counts.reduceRight(
    (after, { min, max }) => (max === Infinity ? 1 + after : max + (max - min + 1) * after),
    1,
  )
}

function parseRepetition([, sign, from, comma, to]: RegExpExecArray): { min: number; max: number } {
  if (sign !== undefined) return { min: 0, max: sign === '?' ? 1 : Infinity }
  if (from === undefined) return { min: 1, max: 1 }
  const min = Number(from)
  if (comma === undefined) return { min, max: min }
  return { min, max: to === undefined ? Infinity : Number(to) }
}

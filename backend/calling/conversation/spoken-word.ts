/** The inline Markdown that a word is part of. */
export interface InlineState {
  isInCode: boolean
  /** True if the word belongs to the title of a link: `[text](https://example.com "title")`. */
  isInLink: boolean
}

/** Returns a word without Markdown and emoji. Blank if nothing is left to say. */
export function toSpokenWord(word: string, state: InlineState): string {
  const text = removeLinkTargets(removeCode(word, state), state)
  // An asterisk between spaces is a multiplication sign, as in "2 * 3".
  if (text === '*') return text
  // A pipe here separates the cells of a table row that doesn't start with a pipe.
  if (text === '|') return ','
  if (/^[-=:|]{3,}$/.test(text)) return ''
  return text.replace(marks, '$1$2').replace(emoji, '')
}

/** Returns the text of a word that's outside of code blocks. Each fence in the word starts or ends a code block. */
function removeCode(word: string, state: InlineState): string {
  const [first = '', ...others] = word.split(/`{3,}|~{3,}/)
  let text = state.isInCode ? '' : first
  for (const part of others) {
    state.isInCode = !state.isInCode
    if (!state.isInCode) text += part
  }
  return text
}

const citation = /\[\^?\d+\](?:\([^()]*\))?/g
const linkTarget = /\]\((?:[^()]|\([^()]*\))*\)/g

function removeLinkTargets(word: string, state: InlineState): string {
  const end = state.isInLink ? word.indexOf(')') : -1
  if (state.isInLink && end === -1) return ''
  const text = word
    .slice(end + 1)
    .replace(citation, '')
    .replace(linkTarget, '')
  const start = text.indexOf('](')
  state.isInLink = start !== -1
  return state.isInLink ? text.slice(0, start) : text
}

/**
 * Matches the marks of Markdown. The first group is an escaped character, and the second is a sign inside of a word, as in
 * "5*3" and "first_name". Both groups are said, so they stay in the text.
 */
const marks =
  /\\([!-/:-@[-`{-~])|((?<=\p{N})\*(?=\p{N})|(?<=[\p{L}\p{N}])_+(?=[\p{L}\p{N}]))|\*+|_+|~{2,}|`+|(?<![\p{L}\p{N}])!\[|\[|\]/gu

/** Matches emoji with their modifiers, and the marks that turn a digit into an emoji. */
const emoji =
  /\p{Regional_Indicator}|\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F\u200D\u{E0020}-\u{E007F}]*|[\uFE0F\u20E3]/gu

import { type InlineState, toSpokenWord } from './spoken-word.ts'

// Models are told to write plain sentences, but sometimes write Markdown, which would be read aloud. No package removes it
// from a stream: marked and remove-markdown need the whole text, and streaming-markdown 0.2.15 loses characters that are
// said ("5*3", "first_name") and everything after a table.
//
// Each word is read once it's complete, so it doesn't matter how the text is split into chunks.

/** Removes Markdown from a text that arrives in chunks. The returned pieces, joined, are what `toSpokenText` returns. */
export interface SpokenTextStream {
  write: (chunk: string) => string
  /** Ends the text, and returns its last word. */
  end: () => string
}

/** Returns a text on one line, without Markdown, code blocks, tables, or emoji. */
export function toSpokenText(text: string): string {
  const stream = createSpokenTextStream()
  return stream.write(text) + stream.end()
}

type LineKind = 'text' | 'heading' | 'item' | 'table'

interface Line {
  kind: LineKind
  /** True until the first word of the line has been said. */
  isStart: boolean
}

export function createSpokenTextStream(): SpokenTextStream {
  const inline: InlineState = { isInCode: false, isInLink: false }
  let line: Line = { kind: 'text', isStart: true }
  let word = ''
  let hasSpace = false
  /** The last word that was said, the kind of its line, and whether a blank line followed. */
  let last: { word: string; kind: LineKind; endsParagraph: boolean } | undefined

  const endWord = (): string => {
    const written = word
    word = ''
    if (written === '' || line.kind === 'table') return ''
    if (line.isStart && !inline.isInCode) {
      const marker = readMarker(written)
      line.kind = marker?.kind ?? line.kind
      if (marker !== undefined && !marker.isSaid) return ''
    }
    const spoken = toSpokenWord(written, inline)
    if (spoken === '') return ''
    const pause = last !== undefined && line.isStart ? findPause(last, line.kind) : ''
    // In "Great 🎉!", the emoji isn't said, so the exclamation mark follows the word before it without a space.
    const isAttached = spoken !== written && /^[.,;:!?…]+$/.test(spoken)
    const space = last !== undefined && hasSpace && !isAttached ? ' ' : ''
    last = { word: spoken, kind: line.kind, endsParagraph: false }
    line.isStart = false
    hasSpace = false
    return pause + space + spoken
  }

  const endLine = (): string => {
    const spoken = endWord()
    if (last !== undefined && line.isStart) last.endsParagraph = true
    line = { kind: 'text', isStart: true }
    inline.isInLink = false
    hasSpace = true
    return spoken
  }

  const readUnit = (unit: string): string => {
    if (/[\n\u2028\u2029]/.test(unit)) return endLine()
    if (/\s/.test(unit)) {
      const spoken = endWord()
      hasSpace = true
      return spoken
    }
    word += unit
    // Chinese and Japanese have no spaces, so their words end at punctuation.
    return /[。！？，、；：]/.test(unit) ? endWord() : ''
  }

  return { write: (chunk) => chunk.split('').map(readUnit).join(''), end: endWord }
}

/** Reads the marker at the start of a line. A list item's number is said, because "3." can also start a German date. */
function readMarker(word: string): { kind: LineKind; isSaid: boolean } | undefined {
  if (word.startsWith('|')) return { kind: 'table', isSaid: false }
  if (/^#{1,6}$/.test(word)) return { kind: 'heading', isSaid: false }
  if (/^>+$/.test(word)) return { kind: 'text', isSaid: false }
  if (/^[-+*•]$/.test(word)) return { kind: 'item', isSaid: false }
  if (/^\d{1,2}[.)]$/.test(word)) return { kind: 'item', isSaid: true }
  return undefined
}

/** Returns the punctuation to say instead of a line break, because list items and headings often end without any. */
function findPause(last: { word: string; kind: LineKind; endsParagraph: boolean }, kind: LineKind): string {
  if (/\p{P}/u.test(last.word.at(-1) ?? '')) return ''
  if (kind === 'item') return ','
  return last.kind !== 'text' || last.endsParagraph ? '.' : ''
}

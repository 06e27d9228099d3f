// cspell:disable
const yesWords = new Set([
  'true',
  't',
  'yes',
  'y',
  '1',
  'x',
  '✓',
  '✔',
  'on',
  'checked',
  'sí',
  'si',
  'sì',
  'sim',
  'ja',
  'oui',
])
const noWords = new Set([
  'false',
  'f',
  'no',
  'n',
  '0',
  'off',
  'unchecked',
  'nein',
  'non',
  'não',
  'nao',
  'nee',
])

const optOutWords = new Set(['dnc', 'donotcall', 'optout', 'optedout', 'unsubscribed', 'blocked'])
const noOptOutWords = new Set(['none', '-', 'subscribed'])
// cspell:enable

/** Returns undefined for text that is neither yes nor no. */
export function readYesNo(text: string): boolean | undefined {
  const word = toWord(text)
  if (yesWords.has(word)) return true
  return noWords.has(word) ? false : undefined
}

/**
 * Reads the answer to "Do not call?". Words for opting out, such as "unsubscribed", mean yes only here.
 *
 * @returns undefined for other text, because it can mean an opt-out, and only the user knows
 */
export function readDoNotCall(text: string): boolean | undefined {
  const word = toWord(text)
  if (optOutWords.has(word)) return true
  return noOptOutWords.has(word) ? false : readYesNo(text)
}

/** Returns the text in lower case, as one word. Removes the decimals that spreadsheets add to a digit. */
function toWord(text: string): string {
  const word = text.trim().toLowerCase()
  if (/^[-–—]+$/.test(word)) return '-'
  return word.replace(/^(\d)\.0+$/, '$1').replace(/[\s_.-]/g, '')
}

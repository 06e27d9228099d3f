import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { createSpokenTextStream, toSpokenText } from '../../calling/conversation/spoken-text.ts'

// cspell:ignore Großartig Mai passt Danke
const texts: [written: string, spoken: string][] = [
  ['You can **come** on *Thursday* or __Friday__.', 'You can come on Thursday or Friday.'],
  ['**Note**: it _costs_ ***forty*** ~~fifty~~ dollars.', 'Note: it costs forty fifty dollars.'],
  ['**Two words**, then `code`.', 'Two words, then code.'],
  ['## Prices\nIt costs five dollars.', 'Prices. It costs five dollars.'],
  [
    'These times are free:\n- Monday\n* Tuesday\n+ Friday\n\nWhich suits you?',
    'These times are free: Monday, Tuesday, Friday. Which suits you?',
  ],
  ['1. Monday\n2) Tuesday', '1. Monday, 2) Tuesday'],
  ['> They said\n> yes.', 'They said yes.'],
  ['See [our prices](https://example.com/a_(b)?c=*d*) for more.', 'See our prices for more.'],
  ['See [our prices](https://example.com "Prices of 2026"), please.', 'See our prices, please.'],
  ['![Our logo](https://example.com/a.png) Hello.', 'Our logo Hello.'],
  ['It costs five dollars [1][^2]. [3](https://example.com) Yes.', 'It costs five dollars. Yes.'],
  ['See [this](https://example.com/unfinished', 'See this'],
  ['Run this:\n```js\nconst a = `b`\n- c\n```\nDone.', 'Run this: Done.'],
  ['Run ```rm -r``` now. ```unfinished code', 'Run now.'],
  ['~~~\na\n~~~\n\nHello.', 'Hello.'],
  ['Prices:\n| Day | Price |\n|:---|---:|\n| Monday | 5 |\n\nWhich day?', 'Prices: Which day?'],
  ['Day | Price\n--- | ---\nMonday | five', 'Day, Price. Monday, five'],
  ['First.\n\n---\n\n***\n\nSecond.', 'First. Second.'],
  ['Title\n=====\nText', 'Title. Text'],
  ['Great 🎉! Thanks 👩‍💻👍🏽 🇩🇪 1️⃣ ❤️', 'Great! Thanks 1'],
  ['Two lines\r\nof one sentence.', 'Two lines of one sentence.'],
  ['One paragraph\n\nAnother', 'One paragraph. Another'],
  ['  Too   many\tspaces \n', 'Too many spaces'],
  [String.raw`Not \*emphasized\* and C:\\a.`, String.raw`Not *emphasized* and C:\a.`],
  ['**unfinished', 'unfinished'],
  ['你好。**再见**！好', '你好。再见！好'],
  ['', ''],
  [' \n** \n', ''],
]

/** Texts without Markdown, although some characters look like it. */
const plain = [
  '5*3 is 15, 2 * 3 is 6, and 3.5 is less than 4.',
  'Her address is first_last@example.com, and the code is A_1.',
  '-5 degrees, #1, C#, ~20 people, 50 % off, yes -- or no, and AC/DC.',
  'Bonjour ! Ça va ?',
  '3. Mai passt gut.',
  "It's $5, not $6 (or “five”).",
]

describe("a model's text", () => {
  it.each(texts)('is spoken without Markdown: %j', (written, spoken) => {
    expect(toSpokenText(written)).toBe(spoken)
  })

  it.each(plain)('is spoken unchanged if it has no Markdown: %s', (text) => {
    expect(toSpokenText(text)).toBe(text)
  })

  it('is spoken word by word as it arrives', () => {
    const stream = createSpokenTextStream()
    expect(['We ', '**op', 'en** ', 'at ni', 'ne.'].map(stream.write)).toEqual(['We', '', ' open', ' at', ''])
    expect(stream.end()).toBe(' nine.')
  })
})

const piece = fc.constantFrom(
  ...[
    'word',
    ' ',
    '\n',
    '\n\n',
    '\r\n',
    '*',
    '**',
    '_',
    '__',
    '`',
    '```',
    '~~',
    '~~~',
    '#',
    '## ',
    '- ',
    '* ',
  ],
  ...[
    '1. ',
    '> ',
    '|',
    '| a | b |',
    '---',
    '[',
    ']',
    '](',
    ')',
    '(',
    '[a](b "c d")',
    '[1]',
    '!',
    '.',
    ',',
    '\\',
  ],
  ...['🎉', '👩‍💻', '🇩🇪', '1️⃣', '。', '你好', '5', '\u2028', '\uD83C', '<b>', '='],
)
const markdown = fc.oneof(
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary' }),
)

/** Markdown split at any positions, even within a character. */
const chunks = fc
  .tuple(markdown, fc.array(fc.nat({ max: 200 })))
  .map(([text, cuts]) =>
    [0, ...cuts.toSorted((a, b) => a - b), text.length].map((cut, index, all) =>
      text.slice(cut, all[index + 1]),
    ),
  )

it("produces the same spoken text however the model's text is split", () => {
  fc.assert(
    fc.property(chunks, (parts) => {
      const stream = createSpokenTextStream()
      const spoken = parts.map(stream.write).join('') + stream.end()
      expect(spoken).toBe(toSpokenText(parts.join('')))
    }),
    { numRuns: 500 },
  )
})

it('turns any text into one spoken line without emoji', () => {
  fc.assert(
    fc.property(markdown, (text) => {
      expect(toSpokenText(text)).not.toMatch(/[^\S ]| {2}|^ | $|\p{Extended_Pictographic}/u)
    }),
    { numRuns: 500 },
  )
})

import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { splitIntoPassages } from '../../tools/knowledge/split-passages.ts'

const withoutBlanks = (text: string) => text.replace(/\s+/g, '')

const prose = fc
  .array(
    fc.constantFrom('roof', 'We repair it. ', 'Why?', ' ', '\n', '\n\n', '\r\n\r\n', '🏠', 'x'.repeat(30)),
    {
      maxLength: 80,
    },
  )
  .map((parts) => parts.join(''))

it('preserves all of the text except whitespace', () => {
  fc.assert(
    fc.property(
      fc.oneof(prose, fc.string({ unit: 'grapheme' })),
      fc.integer({ min: 2, max: 60 }),
      (text, longest) => {
        expect(withoutBlanks(splitIntoPassages(text, longest).join(''))).toBe(withoutBlanks(text))
      },
    ),
  )
})

it("creates passages that are trimmed, not empty, and within the maximum length, and doesn't split characters", () => {
  fc.assert(
    fc.property(prose, fc.integer({ min: 2, max: 60 }), (text, longest) => {
      for (const passage of splitIntoPassages(text, longest)) {
        expect(passage.length).toBeLessThanOrEqual(longest)
        expect(passage).toBe(passage.trim())
        expect(passage).not.toBe('')
        expect(passage.isWellFormed()).toBe(true)
      }
    }),
  )
})

it('keeps short paragraphs together and splits long ones after a sentence', () => {
  expect(splitIntoPassages('One.\n\nTwo.', 20)).toEqual(['One.\n\nTwo.'])
  expect(splitIntoPassages('We repair roofs. We repair gutters.', 20)).toEqual([
    'We repair roofs.',
    'We repair gutters.',
  ])
})

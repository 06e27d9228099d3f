import { expect, it } from '@jest/globals'
import app from '../../index.ts'
import {
  allInputFields,
  allSteps,
  inputFieldsOf,
  named,
  outputFieldsOf,
  textsOf,
  triggers,
} from '../support/steps.ts'

// Zapier's checks of the texts in the Zap editor. Titles start with Zapier's numbers for the checks.
const smallWords = /^(a|an|and|at|by|for|if|in|is|of|on|or|the|to)$/
const isTitleCase = (label: string) =>
  label
    .replace(/\(in \w+\)$/, '(In Words)')
    .split(' ')
    .every((word, index) => (index > 0 && smallWords.test(word)) || /^[^a-z]/.test(word))

/** Returns the brackets and URLs in a Markdown text, outside of code and valid links. They're parts of broken links. */
const findBrokenLinks = (text: string): string[] =>
  text
    .replaceAll(/`[^`]*`/g, '')
    .replaceAll(/\[[^[\]()]+\]\(https:\/\/[^\s()]+\)/g, '')
    .match(/[[\]]|\bhttps?:\S*|\bwww\.\S*/g) ?? []

it('the check of links finds broken links, and accepts valid links and code', () => {
  expect(findBrokenLinks('See [Google](https://google.com) or `https://google.com`.')).toEqual([])
  for (const text of [
    'See [Google(https://google.com)',
    'See https://google.com',
    '[a](http://a.example)',
    '[a]()',
  ])
    expect(findBrokenLinks(text)).not.toEqual([])
})

it.each(named(allSteps))('D008: the texts of %s have only valid links', (_key, step) => {
  expect(textsOf(step).flatMap(findBrokenLinks)).toEqual([])
})

it('D007, D025: no text contains an insecure URL or a URL that runs a script', () => {
  // The service's URL isn't checked here, but in test/authentication.test.ts, because it's only set during the upload.
  const definition = JSON.stringify(app)
  expect(definition).not.toMatch(/http:\/\//i)
  expect(definition).not.toMatch(/\b(javascript|vbscript|data|file):\S/i)
})

it.each(allInputFields)(
  'D011: the help text of %s says more than its label',
  (_name, { label = '', helpText }) => {
    if (helpText === undefined) return
    expect(helpText.length).toBeGreaterThanOrEqual(20)
    expect(helpText.toLowerCase()).not.toBe(label.toLowerCase())
    expect(helpText).not.toMatch(/^(enter|the) (the )?\w+\.?$/i)
    expect(helpText).toMatch(/[.?]$/)
  },
)

it.each(named(allSteps))('D018: %s has labels in Title Case', (_key, step) => {
  const labels = [
    step.display.label,
    step.noun,
    ...inputFieldsOf(step).map(({ label }) => label ?? ''),
    ...outputFieldsOf(step).map(({ label }) => label ?? ''),
    ...(step.operation.inputFieldGroups ?? []).map(({ label }) => label ?? ''),
  ]
  expect(labels.filter((label) => label === '' || !isTitleCase(label))).toEqual([])
})

it.each(named(allSteps))(
  'D021: the description of %s is one short sentence in the required form',
  (key, { display: { description } }) => {
    const isTrigger = triggers.some((trigger) => trigger.key === key)
    expect(description).toMatch(isTrigger ? /^Triggers when / : /^(Adds|Cancels|Creates|Finds|Queues) /)
    expect(description).toMatch(/^[^.]+\.$/)
    // Zapier recommends only a handful of words after "Triggers when".
    expect(description.split(' ').length).toBeLessThanOrEqual(isTrigger ? 12 : 20)
  },
)

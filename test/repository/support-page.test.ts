import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { readPage, root, splitSentences } from '../support/docs.ts'

// These pages quote texts that users see. The tests check that the source code contains each quotation.

const page = readPage('docs/guides/support.md')
const stepErrors = readPage('docs/reference/step-errors.md')
const otherPages = ['guides/personal-data', 'reference/call-reasons', 'reference/input-fields'].map((name) =>
  readPage(`docs/${name}.md`),
)
const readSources = (...patterns: string[]): string =>
  globSync(patterns, { cwd: root })
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .join('\n')

const sentences = readSources('contract/error-texts.ts', 'src/**/*.ts')
const stories = readSources('backend/dashboard/stories/*.ts')

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Returns true if the source has a sentence. `…` and numbers match placeholders. A leading `…` is a field's label. */
const contains = (source: string, sentence: string): boolean =>
  new RegExp(
    escape(sentence)
      .replace(/^… /, '(?:\\$?\\{[^}]+\\} )?')
      .replaceAll('…', '\\$?\\{[^}]+\\}')
      .replaceAll(/\d+/g, '(?:$&|\\$\\{[^}]+\\})'),
  ).test(source)

/** Returns the quotations in the first column of the tables with one of these headers. */
function quotationsBelow(headers: string[]): string[] {
  const tables = stepErrors.split('\n\n').filter((part) => part.startsWith('|'))
  return tables
    .filter((table) => headers.includes(table.split('|')[1]?.trim() ?? ''))
    .flatMap((table) => table.split('\n').map((row) => row.split('|')[1] ?? ''))
    .flatMap((cell) => [...cell.matchAll(/“([^“”]+)”/g)].map(([, quotation = '']) => quotation))
}

it('docs/reference/step-errors.md quotes only sentences that the API or the connector has', () => {
  const quotations = quotationsBelow(['The step says', 'The window or the step says']).flatMap(splitSentences)
  expect(quotations.length).toBeGreaterThan(40)
  expect(quotations.filter((quotation) => !contains(sentences, quotation))).toEqual([])
})

it("docs/guides/support.md quotes only lines that `diagnose` can print as a call's story", () => {
  const [, complaints = ''] = /\n## The complaint\n([^]*?)\n## /.exec(page) ?? []
  const quotations = complaints
    .replaceAll(/^ *```[^]*?^ *```/gm, '')
    .matchAll(/`([A-Z][^` ]* [^`]*|[a-z]+,? [^`]*)`/g)
  const lines = [...quotations].map(([, line = '']) => line).filter((line) => !line.startsWith('npm '))
  expect(lines.length).toBeGreaterThan(10)
  expect(lines.filter((line) => !contains(stories, line))).toEqual([])
})

it('the support pages name only pages, buttons, fields, and values that the dashboard or the connector shows', () => {
  const shown = readSources('backend/{dashboard,platform/views}/**/*.ts', 'contract/*.ts', 'src/**/*.ts')
  const text = [page, stepErrors, ...otherPages].join('\n')
  const bold = [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name = '']) => name.replaceAll(/\s+/g, ' '))
  const names = bold.filter((name) => /^[A-Z]/.test(name) && !name.endsWith('.'))
  expect(names.length).toBeGreaterThan(30)
  expect(names.flatMap((name) => name.split(' → ')).filter((name) => !shown.includes(name))).toEqual([])
})

it('the check of quotations rejects one that the source code lacks, and lets … and numbers match placeholders', () => {
  expect(contains(sentences, 'Outdial took too long.')).toBe(false)
  expect(contains(sentences, 'This workspace has no … with this ID.')).toBe(true)
  expect(contains(stories, 'Outdial dialed 2 times')).toBe(true)
  expect(contains(stories, 'Outdial rang 2 times')).toBe(false)
})

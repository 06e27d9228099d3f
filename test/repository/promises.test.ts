import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { parse } from 'yaml'
import * as z from 'zod'
import { generateEvidencePage, readEvidence } from '../../scripts/evidence-page.ts'
import { readPage, root } from '../support/docs.ts'

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z.string(),
          labels: z.strictObject({ severity: z.enum(['warning', 'critical']) }),
          annotations: z.strictObject({ summary: z.string(), action: z.string() }),
        }),
      ),
    }),
  ),
})

const rules = Rules.parse(parse(readPage('docs/reference/alerts.yaml'))).groups.flatMap(
  (group) => group.rules,
)
const promises = Object.entries(readEvidence()).flatMap(([page, groups]) =>
  Object.entries(groups).flatMap(([heading, entries]) =>
    entries.map((entry) => ({ page, heading, ...entry })),
  ),
)
const tests = promises.flatMap((promise) =>
  Object.entries(promise.tests).flatMap(([file, titles]) => titles.map((title) => ({ file, title }))),
)

/** Returns the promises of a page: the rows of its tables, or the bold sentences at the start of a list's items. */
const promisesIn = (page: string) =>
  readPage(page)
    .split(/^## /m)
    .slice(1)
    .flatMap((section) =>
      [...section.matchAll(/^- \*\*([^*]+)\*\*|^\| (?!-|Promise )([^|]+) \| ([^|]*)\|$/gm)].map(
        ([, sentence, cell = '', alerts = '']) => ({
          heading: section.split('\n')[0],
          promise: (sentence ?? cell).trim().replaceAll(/\s+/g, ' '),
          alerts: [...alerts.matchAll(/`(\w+)`/g)].map(([, name]) => name),
        }),
      ),
    )

/** Returns true if a file contains the title of a test. Each part of the title must be a string in the file's code. */
function testExists({ file, title }: { file: string; title: string }): boolean {
  const target = path.join(root, file)
  if (!existsSync(target)) return false
  const code = readFileSync(target, 'utf8')
  return title.split(' › ').every((part) => [`'${part}'`, `"${part}"`].some((text) => code.includes(text)))
}

it.each(['docs/reference/reliability.md', 'docs/reference/security.md'])(
  '%s has the same promises and alerts as docs/project/evidence.yaml, in the same order',
  (page) => {
    const found = promisesIn(page)
    expect(found.length).toBeGreaterThan(20)
    expect(found).toEqual(
      promises
        .filter((entry) => entry.page === page)
        .map(({ heading, promise, alerts }) => ({ heading, promise, alerts })),
    )
  },
)

it('docs/project/evidence.yaml names at least one test for every promise, and only tests that exist', () => {
  expect(promises.filter((entry) => Object.values(entry.tests).flat().length === 0)).toEqual([])
  expect(tests.filter((test) => !testExists(test))).toEqual([])
})

it('docs/project/evidence.yaml names every alert exactly once, and no other alert', () => {
  const named = promises.flatMap(({ alerts }) => alerts)
  expect(named.toSorted()).toEqual(rules.map((rule) => rule.alert).toSorted())
})

it('docs/project/evidence.md is up to date with evidence.yaml: run `npm run generate` if this fails', async () => {
  expect(readPage('docs/project/evidence.md')).toBe(await generateEvidencePage())
})

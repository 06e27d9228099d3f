import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { parse } from 'yaml'
import * as z from 'zod'
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
const page = readPage('docs/reference/reliability.md')

/** Returns the tests that a page names, as `"title" (file)`. */
const testsIn = (text: string) =>
  [...text.matchAll(/"([^"|]+)" \(`([^`]+\.test\.ts)`\)/g)].map(([, title = '', file = '']) => ({
    title,
    file,
  }))

/** Returns the rows of a page's tables of promises, without their headings. */
const promisesIn = (text: string) =>
  text.split('\n').filter((line) => line.startsWith('| ') && !/^\| (-|Promise|Guarantee)/.test(line))

/** A title is quoted with the quotation mark that it doesn't contain. */
function testExists({ title, file }: { title: string; file: string }): boolean {
  const target = path.join(root, file)
  if (!existsSync(target)) return false
  const code = readFileSync(target, 'utf8')
  return [`'${title}'`, `"${title}"`].some((text) => code.includes(text))
}

it.each(['docs/reference/reliability.md', 'SECURITY.md'])('%s names a test for every promise', (file) => {
  const promises = promisesIn(readPage(file))
  expect(promises.length).toBeGreaterThan(20)
  expect(promises.filter((row) => testsIn(row).length === 0)).toEqual([])
  expect(testsIn(readPage(file)).filter((test) => !testExists(test))).toEqual([])
})

it('names every alert once, and no other', () => {
  const named = [...page.matchAll(/`(Outdial[A-Z]\w+)`/g)].map(([, name]) => name)
  expect(named.toSorted()).toEqual(rules.map((rule) => rule.alert).toSorted())
})

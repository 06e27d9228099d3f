import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { collectDefaultMetrics } from 'prom-client'
import { parse } from 'yaml'
import * as z from 'zod'
import { createMetrics } from '../../backend/metrics/metrics.ts'
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

const rules = Rules.parse(parse(readPage('docs/alerts.yaml'))).groups.flatMap((group) => group.rules)
const page = readPage('docs/reliability.md')

/** Returns the tests that a page names, as `"title" (file)`. */
const testsIn = (text: string) =>
  [...text.matchAll(/"([^"|]+)" \(`([^`]+\.test\.ts)`\)/g)].map(([, title = '', file = '']) => ({
    title,
    file,
  }))

/** Returns the rows of the page's tables, without their headings. */
const promises = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (-|Promise)/.test(line))

it('names tests that exist', () => {
  const missing = testsIn(page).filter(({ title, file }) => {
    const target = path.join(root, file)
    // A title is quoted with the quotation mark that it doesn't contain.
    return (
      !existsSync(target) ||
      ![`'${title}'`, `"${title}"`].some((text) => readFileSync(target, 'utf8').includes(text))
    )
  })
  expect(missing).toEqual([])
})

it('has a test for every promise', () => {
  expect(promises.length).toBeGreaterThan(20)
  expect(promises.filter((row) => testsIn(row).length !== 1)).toEqual([])
})

it('names every alert once, and no other', () => {
  const named = [...page.matchAll(/`(Outdial[A-Z]\w+)`/g)].map(([, name]) => name)
  expect(named.toSorted()).toEqual(rules.map((rule) => rule.alert).toSorted())
})

it('has alerts that use only metrics that Outdial has', async () => {
  const { registry } = createMetrics()
  collectDefaultMetrics({ register: registry })
  const names = registry
    .getMetricsAsArray()
    .flatMap(({ name }) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`])
  const used = rules.flatMap(({ expr }) => expr.match(/\b(?:outdial|nodejs|process)_\w+/g) ?? [])
  expect(used.length).toBeGreaterThan(rules.length - 2)
  expect(used.filter((name) => !names.includes(name))).toEqual([])
})

import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { endedReasonTexts } from '@outdial/contract'
import { formatCallingHours } from '../../backend/platform/views/format.ts'
import { statesWithHolidays } from '../../backend/queue/rules/holidays.ts'
import { lawRows, statesToCheck } from '../../backend/queue/rules/hours-by-law.ts'
import { readPage, root } from '../support/docs.ts'

// These tests compare the rules in docs/guides/who-may-be-called.md with the code.

const page = readPage('docs/guides/who-may-be-called.md').replaceAll(/\s+/g, ' ')
/** The guide's table rows, without padding. They name each rule's values of `waiting_for` and `ended_reason`. */
const rules = readPage('docs/guides/who-may-be-called.md')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.replaceAll(/ +/g, ' '))
  .join('\n')

it('docs/guides/who-may-be-called.md lists every reason for which a call is suppressed', () => {
  const reasons = Object.entries(endedReasonTexts)
    .filter(([, { outcome }]) => outcome === 'suppressed')
    .map(([value]) => value)
  expect(reasons.length).toBeGreaterThan(5)
  expect(reasons.filter((value) => !new RegExp(`\\|[^|]*\`${value}\`[^|]*\\|$`, 'm').test(rules))).toEqual([])
})

it('docs/guides/who-may-be-called.md lists the four values of waiting_for that come from rules', () => {
  const values = ['calling_hours', 'frequency', 'number_limit', 'minutes_limit'] as const
  expect(values.filter((value) => !rules.includes(`| \`${value}\` |`))).toEqual([])
})

it("docs/guides/who-may-be-called.md has the code's hours by law, states with holidays, and states to check", () => {
  const rows = lawRows.map(
    ({ state, hours }) => `| ${state ?? 'All United States'} | ${formatCallingHours(hours)} |`,
  )
  const list = new Intl.ListFormat('en-US')
  const sentences = [`In ${list.format(statesWithHolidays)}, calls`, `Check ${list.format(statesToCheck)}.`]
  expect([...rows, ...sentences].filter((text) => !page.includes(text))).toEqual([])
})

it('docs/guides/who-may-be-called.md names only pages, fields, and values that the dashboard or the connector shows', () => {
  const shown = globSync(['backend/{dashboard,platform/views}/**/*.ts', 'contract/*.ts', 'src/**/*.ts'], {
    cwd: root,
  })
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .join('\n')
  const bold = [...page.matchAll(/\*\*([^*]+)\*\*/g)].map(([, text = '']) => text)
  const names = bold.filter((text) => !text.endsWith('.'))
  expect(names.length).toBeGreaterThan(20)
  expect(names.flatMap((name) => name.split(' → ')).filter((name) => !shown.includes(name))).toEqual([])
})

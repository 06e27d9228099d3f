import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { detailTexts, errorTexts, runtimeErrorTexts } from '@outdial/contract'
import { errorsPage, generateErrorsPage } from '../../scripts/errors-page.ts'

const root = path.resolve(import.meta.dirname, '../..')

it('has an up-to-date catalog of error codes in docs/errors.md: run `npm run generate` if this fails', async () => {
  expect(readFileSync(errorsPage, 'utf8')).toBe(await generateErrorsPage())
})

it('says what every code means and what to do, in sentences', () => {
  const texts = [errorTexts, runtimeErrorTexts, detailTexts].flatMap((table) => Object.values(table))
  const sentences = texts.flatMap(({ meaning, action }) => [meaning, action])
  expect(sentences.filter((sentence) => !/^(?:[A-Z]|\{).*[^.]\.$/.test(sentence))).toEqual([])
})

/** Codes of forms in the dashboard, admin commands, and agent tools, which show only the sentence. */
const formCodes = new Set([
  'already_used',
  'conflict',
  'do_not_call',
  'empty',
  'in_the_past',
  'invalid_json',
  'invalid_language',
  'invalid_name',
  'invalid_redirect_uri',
  'invalid_retention',
  'invalid_schema',
  'invalid_tool',
  'invalid_transition',
  'invalid_variable',
  'not_exhausted',
  'unknown_argument',
  'unreachable',
  'wrong_count',
  'wrong_password',
])

const text = /(?:'[^']*'|`[^`]*`|[\w.]+)/.source
const patterns = [
  new RegExp(String.raw`\b(?:invalidField|catalogFieldError)\(\s*${text},\s*'(\w+)'`, 'g'),
  /\b(?:rule|ruleIssue|invalidNumber)\(\s*'(\w+)'/g,
  /\baddIssue\(\s*details,\s*(?:\[[^\]]*\]|\w+),\s*'(\w+)'/g,
  /\bcode: '([a-z]\w*)'/g,
  /\bcode: .* \? '(\w+)'/g,
  /\bcode: .* \? .* : '(\w+)'/g,
]

const sourcesIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(?:test|node_modules|demo)\//.test(file))
    .map((file) => readFileSync(path.join(root, folder, file), 'utf8'))

it('lists every field error code that the source code uses', () => {
  const sources = [...sourcesIn('backend'), ...sourcesIn('contract')]
  const codes = new Set(
    sources.flatMap((source) =>
      patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, code = '']) => code)),
    ),
  )
  const known = new Set([...Object.keys(detailTexts), ...Object.keys(runtimeErrorTexts), ...formCodes])
  // `custom` is a code of zod.
  expect([...codes].filter((code) => code !== 'custom' && !known.has(code)).sort()).toEqual([])
  // The patterns must find these codes. Otherwise this test would pass if a refactoring hid all codes from them.
  expect([...codes]).toEqual(
    expect.arrayContaining([
      'required',
      'too_short',
      'too_deep',
      'invalid_phone_number',
      'agent_not_live',
      'invalid_time_zone',
      'invalid_idempotency_key',
    ]),
  )
  expect([...formCodes].filter((code) => !codes.has(code))).toEqual([])
})

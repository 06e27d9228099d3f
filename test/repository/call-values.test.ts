import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { EndedReason, endedReasonTexts, WaitingFor, waitingForTexts } from '@outdial/contract'
import { root } from '../support/docs.ts'

/** The backend's modules, without its tests. */
const sources = globSync('backend/**/*.{ts,sql}', {
  cwd: root,
  exclude: [
    'backend/test/**',
    'backend/node_modules/**',
    'backend/db/migrations/**',
    'backend/db/schema.sql',
  ],
}).map((file) => readFileSync(path.join(root, file), 'utf8'))

it.each([
  ['ended_reason', EndedReason.options, Object.keys(endedReasonTexts)],
  ['waiting_for', WaitingFor.options, Object.keys(waitingForTexts)],
])('each value of %s has a label, and each label a value', (_, values, labeled) => {
  expect(labeled.toSorted()).toEqual(values.toSorted())
})

it.each([...EndedReason.options, ...WaitingFor.options])(
  'the backend has code about the value %s',
  (value) => {
    expect(sources.filter((source) => source.includes(`'${value}'`)).length).toBeGreaterThan(0)
  },
)

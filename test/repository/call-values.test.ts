import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { EndedReason, endedReasonTexts, WaitingFor, waitingForTexts } from '@outdial/contract'
import { root } from '../support/docs.ts'

/** The code for calls, without comments, types, and comparisons. A value that's left in this code is set there. */
const sources = globSync('backend/{calling,privacy,queue/{calls,contacts,rules}}/**/*.ts', {
  cwd: root,
}).map((file) =>
  readFileSync(path.join(root, file), 'utf8')
    .replaceAll(/\/\/.*|\/\*[^]*?\*\//g, '')
    .replaceAll(/(?:===|!==|case|\|) '\w+'/g, ''),
)

it.each([
  ['ended_reason', EndedReason.options, Object.keys(endedReasonTexts)],
  ['waiting_for', WaitingFor.options, Object.keys(waitingForTexts)],
])('each value of %s has a label, and each label a value', (_, values, labeled) => {
  expect(labeled.toSorted()).toEqual(values.toSorted())
})

it.each([...EndedReason.options, ...WaitingFor.options])(
  'the backend sets ended_reason or waiting_for to %s',
  (value) => {
    expect(sources.filter((source) => source.includes(`'${value}'`)).length).toBeGreaterThan(0)
  },
)

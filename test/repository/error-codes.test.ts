import { readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import {
  allDetailTexts,
  allErrorTexts,
  detailTexts,
  errorTexts,
  runtimeDetailTexts,
  runtimeErrorTexts,
  toolResultTexts,
} from '@outdial/contract'
import { ApiError, fieldError } from '../../backend/core/errors.ts'
import { errorResult } from '../../backend/tools/kinds/tool-kind.ts'
import { errorsPage, generateErrorsPage } from '../../scripts/errors-page.ts'

it('has an up-to-date catalog of error codes in docs/errors.md: run `npm run generate` if this fails', async () => {
  expect(readFileSync(errorsPage, 'utf8')).toBe(await generateErrorsPage())
})

it('says what every code means and what to do, in sentences', () => {
  const texts = [allErrorTexts, allDetailTexts, toolResultTexts].flatMap((table) => Object.values(table))
  const sentences = texts.flatMap(({ meaning, action }) => [meaning, action])
  expect(sentences.filter((sentence) => !/^(?:[A-Z]|\{).*(?:[^.]\.|\. \{reason\})$/.test(sentence))).toEqual(
    [],
  )
})

it('has no key in two tables, so that none of their texts is hidden', () => {
  const keysOf = (...tables: object[]) => tables.flatMap((table) => Object.keys(table))
  expect(keysOf(allErrorTexts)).toEqual(keysOf(errorTexts, runtimeErrorTexts))
  expect(keysOf(allDetailTexts)).toEqual(keysOf(detailTexts, runtimeDetailTexts))
})

it('has no text twice under different keys', () => {
  const texts = [allErrorTexts, allDetailTexts, toolResultTexts].flatMap((table) =>
    Object.values<object>(table),
  )
  const sentences = [...new Set(texts)].map((text) => JSON.stringify(text))
  expect(sentences.filter((text, index) => sentences.indexOf(text) !== index)).toEqual([])
})

it("is the only source of Outdial's sentences for callers and agents: TypeScript rejects any other", () => {
  const details = [{ field: 'name', code: 'required', message: 'Enter a name.' }]
  // @ts-expect-error: not of the catalog
  const withSentence = () => new ApiError('not_found', 'Not here.')
  // @ts-expect-error: not of the catalog
  const withDetails = () => new ApiError('validation_failed', { details })
  // @ts-expect-error: not of the catalog
  const withMessage = () => new ApiError('not_found', { message: 'Not here.' })
  // @ts-expect-error: not of the catalog
  const aboutField = () => fieldError('name', 'Enter a name.')
  // @ts-expect-error: not of the catalog
  const toAgent = () => errorResult('Not now.')
  expect([withSentence, withDetails, withMessage, aboutField, toAgent]).toHaveLength(5)
})

import { readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import {
  allDetailTexts,
  allErrorTexts,
  detailTexts,
  type ErrorText,
  errorTexts,
  runtimeDetailTexts,
  runtimeErrorTexts,
  Scope,
  toolResultTexts,
} from '@outdial/contract'
import { ApiError, fieldError } from '../../backend/platform/core/errors.ts'
import { errorResult } from '../../backend/tools/kinds/tool-kind.ts'
import { errorsPage, generateErrorsPage } from '../../scripts/errors-page.ts'
import { zapierErrors } from '../../src/generated.ts'

it('has an up-to-date catalog of error codes in docs/reference/errors.md: run `npm run generate` if this fails', async () => {
  expect(readFileSync(errorsPage, 'utf8')).toBe(await generateErrorsPage())
})

it('says what every code means and what to do, in sentences', () => {
  const texts = [allErrorTexts, allDetailTexts, toolResultTexts].flatMap((table) => Object.values(table))
  const sentences = texts.flatMap(({ meaning, action }) => [meaning, action])
  expect(sentences.filter((sentence) => !/^(?:[A-Z]|\{).*(?:[^.]\.|\. \{reason\})$/.test(sentence))).toEqual(
    [],
  )
})

it('uses each key in only one table, so that no text hides another', () => {
  const keysOf = (...tables: object[]) => tables.flatMap((table) => Object.keys(table))
  expect(keysOf(allErrorTexts)).toEqual(keysOf(errorTexts, runtimeErrorTexts))
  expect(keysOf(allDetailTexts)).toEqual(keysOf(detailTexts, runtimeDetailTexts))
})

it('defines each text only once', () => {
  const texts = [allErrorTexts, allDetailTexts, toolResultTexts].flatMap((table) =>
    Object.values<object>(table),
  )
  const sentences = [...new Set(texts)].map((text) => JSON.stringify(text))
  expect(sentences.filter((text, index) => sentences.indexOf(text) !== index)).toEqual([])
})

it("is the only source of Outdial's sentences for callers and agents: TypeScript rejects any other", () => {
  const details = [{ field: 'name', code: 'required', message: 'Enter a name.' }]
  // @ts-expect-error: a sentence must be from the catalog
  const withSentence = () => new ApiError('not_found', 'Not here.')
  // @ts-expect-error: a sentence must be from the catalog
  const withDetails = () => new ApiError('validation_failed', { details })
  // @ts-expect-error: a sentence must be from the catalog
  const withMessage = () => new ApiError('not_found', { message: 'Not here.' })
  // @ts-expect-error: a sentence must be from the catalog
  const aboutField = () => fieldError('name', 'Enter a name.')
  // @ts-expect-error: a sentence must be from the catalog
  const toAgent = () => errorResult('Not now.')
  expect([withSentence, withDetails, withMessage, aboutField, toAgent]).toHaveLength(5)
})

it("doesn't show scopes or placeholders to Zapier users", () => {
  expect(zapierErrors.insufficient_scope).toBe(
    "Outdial's Zapier connection is missing a permission. Reconnect your Outdial account and allow the permission.",
  )
  const shown = Object.values(zapierErrors).join('\n')
  expect([...Scope.options, '{'].filter((text) => shown.includes(text))).toEqual([])
  // For the codes without a Zapier text, Zapier shows the API's sentences.
  const others = { ...errorTexts, ...detailTexts }
  expect(
    Object.entries<ErrorText>(others).filter(
      ([, { meaning, action, inZapier }]) =>
        inZapier === undefined && `${meaning} ${action}`.includes('{scopes}'),
    ),
  ).toEqual([])
})

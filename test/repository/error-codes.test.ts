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

it('docs/reference/errors.md is up to date with the catalog of errors: run `npm run generate` if this fails', async () => {
  expect(readFileSync(errorsPage, 'utf8')).toBe(await generateErrorsPage())
})

it('the catalog of errors says in sentences what every code means and what to do', () => {
  const texts = [allErrorTexts, allDetailTexts, toolResultTexts].flatMap((table) => Object.values(table))
  const sentences = texts.flatMap(({ meaning, action }) => [meaning, action])
  expect(sentences.filter((sentence) => !/^(?:[A-Z]|\{).*(?:[^.]\.|\. \{reason\})$/.test(sentence))).toEqual(
    [],
  )
})

it('no two tables of error texts or of detail texts have the same key, so that no text hides another', () => {
  const keysOf = (...tables: object[]) => tables.flatMap((table) => Object.keys(table))
  expect(keysOf(allErrorTexts)).toEqual(keysOf(errorTexts, runtimeErrorTexts))
  expect(keysOf(allDetailTexts)).toEqual(keysOf(detailTexts, runtimeDetailTexts))
})

it('the catalog of errors defines each text only once', () => {
  const texts = [allErrorTexts, allDetailTexts, toolResultTexts].flatMap((table) =>
    Object.values<object>(table),
  )
  const sentences = [...new Set(texts)].map((text) => JSON.stringify(text))
  expect(sentences.filter((text, index) => sentences.indexOf(text) !== index)).toEqual([])
})

it("TypeScript rejects an error or a tool result whose sentence isn't in the catalog", () => {
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

it("the error texts that Zapier shows don't name scopes, and Zapier's own texts have no placeholders", () => {
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

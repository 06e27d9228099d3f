import { readFile } from 'node:fs/promises'
import { expect, it } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { runtimeDocument } from '../../../api/openapi/runtime-document.ts'

const written: unknown = JSON.parse(
  await readFile(new URL('../../../../docs/runtime.openapi.json', import.meta.url), 'utf8'),
)

/** Every object in a value, itself included. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return
  yield value as Record<string, unknown>
  for (const inner of Object.values(value)) yield* objectsIn(inner)
}

it('is kept in the repository as the schemas make it: run npm run generate where this fails', () => {
  expect(JSON.parse(JSON.stringify(runtimeDocument()))).toEqual(written)
})

it('gives examples that its own schemas accept', () => {
  const ajv = new Ajv2020({ strict: false })
  ajvFormats.default(ajv)
  ajv.addSchema(written as object, 'doc')
  const contents = [...objectsIn(written)].filter((object) => 'schema' in object && 'examples' in object)
  expect(contents.length).toBeGreaterThanOrEqual(4)
  for (const { schema, examples } of contents) {
    const { $ref } = schema as { $ref: string }
    for (const { value } of Object.values(examples as Record<string, { value: unknown }>)) {
      ajv.validate({ $ref: `doc${$ref}` }, value)
      expect(ajv.errors).toBeNull()
    }
  }
})

it('refers to nothing that it does not hold', () => {
  for (const { $ref } of objectsIn(written)) {
    if (typeof $ref !== 'string') continue
    const target = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], written)
    expect([$ref, typeof target]).toEqual([$ref, 'object'])
  }
})

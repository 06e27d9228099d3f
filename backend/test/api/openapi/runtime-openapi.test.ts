import { readFile } from 'node:fs/promises'
import { expect, it } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { runtimeDocument } from '../../../api/openapi/runtime-document.ts'

const written: unknown = JSON.parse(
  await readFile(new URL('../../../../docs/reference/runtime.openapi.json', import.meta.url), 'utf8'),
)

/** Yields every object in a value, and the value itself if it's an object. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return
  yield value as Record<string, unknown>
  for (const inner of Object.values(value)) yield* objectsIn(inner)
}

it('matches docs/reference/runtime.openapi.json (if this fails, run npm run generate)', () => {
  expect(JSON.parse(JSON.stringify(runtimeDocument()))).toEqual(written)
})

it('has examples that match their schemas', () => {
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

it('has no broken references', () => {
  for (const { $ref } of objectsIn(written)) {
    if (typeof $ref !== 'string') continue
    const target = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], written)
    expect([$ref, typeof target]).toEqual([$ref, 'object'])
  }
})

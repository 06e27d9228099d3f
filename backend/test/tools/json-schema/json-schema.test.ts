// cspell:ignore emial strin
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { ArgumentValidators } from '../../../tools/json-schema/argument-validator.ts'
import { checkToolSchema } from '../../../tools/json-schema/check-tool-schema.ts'
import { countPatternSteps, type JsonSchema } from '../../../tools/json-schema/compile-schema.ts'

const object = (properties: object, more: object = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
})

const validators = new ArgumentValidators()
let ids = 0
const validate = (schema: JsonSchema, args: unknown) => {
  ids += 1
  return validators.findIssues({ id: ids, version: 1, name: 'tool', workspaceId: 1 }, schema, args)
}

const nested = (depth: number): object => (depth === 0 ? { type: 'string' } : { items: nested(depth - 1) })

describe('a tool schema', () => {
  it.each<[string, unknown, RegExp]>([
    ['an array instead of an object', ['a'], /must be a JSON object/],
    ['null instead of an object', null, /must be a JSON object/],
    ['another type at the top level', { type: 'string' }, /"type": "object"/],
    ['a missing type at the top level', {}, /"type": "object"/],
    ['a remote reference', object({ a: { $ref: 'https://example.com/schema.json' } }), /doesn't fetch/],
    ['a reference to a file', object({ a: { $ref: 'other.json#/a' } }), /doesn't fetch/],
    ['a dynamic remote reference', object({ a: { $dynamicRef: 'https://example.com/' } }), /doesn't fetch/],
    ['a remote reference hidden by $id', object({ a: { $id: 'https://example.com/', $ref: '#/b' } }), /\$id/],
    [
      'a reference to a missing part',
      object({ a: { $ref: '#/$defs/none' } }),
      /isn't valid JSON Schema.*none/,
    ],
    ['a size of more than 64 KiB', object({ a: { description: 'x'.repeat(70_000) } }), /64 KiB/],
    [
      'too many parts',
      object(Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [at, {}]))),
      /2000 values/,
    ],
    ['too many levels', object({ a: nested(30) }), /20 levels/],
    ['a million levels', JSON.parse('{"a":'.repeat(1e6) + '1' + '}'.repeat(1e6)), /20 levels/],
    ['an unknown type', object({ a: { type: 'strin' } }), /isn't valid JSON Schema/],
    ['an invalid pattern', object({ a: { type: 'string', pattern: '(' } }), /isn't valid JSON Schema/],
    [
      'many patterns for names',
      object(
        {},
        { patternProperties: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`^${at}`, {}])) },
      ),
      /100 patterns/,
    ],
    ['many alternatives', object({ a: { oneOf: new Array(101).fill({}) } }), /100 alternatives/],
    ['a very long pattern', object({ a: { pattern: 'a'.repeat(501) } }), /500 characters/],
    [
      'a very long pattern for names',
      object({}, { patternProperties: { ['a'.repeat(501)]: {} } }),
      /500 characters/,
    ],
    ['an unknown format', object({ a: { format: 'emial' } }), /"emial" isn't a known format/],
    [
      'an argument named __proto__',
      JSON.parse('{"type":"object","properties":{"__proto__":{}}}'),
      /__proto__/,
    ],
    ['a NUL character', object({ a: { description: '\0' } }), /NUL/],
    ['an unpaired surrogate', object({ a: { description: '\ud800' } }), /unpaired surrogates/],
    ['an endless reference to itself', { type: 'object', $ref: '#' }, /endless loop/],
    ['an indirect endless reference', object({}, { allOf: [{ $ref: '#' }] }), /endless loop/],
  ])('is rejected because of %s', (_what, schema, words) => {
    expect(checkToolSchema(schema).join()).toMatch(words)
  })

  it('can use many features of the JSON Schema standard', async () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/order',
      type: 'object',
      $defs: {
        tree: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
        },
      },
      properties: {
        $ref: { type: 'string' },
        tree: { $ref: '#/$defs/tree' },
        pattern: { const: { $ref: 'https://example.com/' } },
        constructor: { type: 'string', format: 'date-time', pattern: '^[^\\u0000]+$' },
      },
      required: ['tree'],
      additionalProperties: false,
    }
    expect(checkToolSchema(schema)).toEqual([])
    expect(await validate(schema, { tree: { children: [{ children: [] }] } })).toEqual([])
    expect(await validate(schema, { tree: { children: [{ children: 1 }] } })).toEqual([
      'tree.children[0].children must be a list',
    ])
  })

  it('can have unknown formats if it comes from a remote server', async () => {
    const schema = object({ a: { type: 'integer', format: 'uint32' } })
    expect(checkToolSchema(schema, { allowUnknownFormats: true })).toEqual([])
    expect(await validate(schema, { a: 1 })).toEqual([])
  })

  it('never causes an exception, whatever JSON it contains and whatever the arguments are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), fc.jsonValue(), async (properties, args) => {
        const schema = { type: 'object', properties } as JsonSchema
        const issues = checkToolSchema(schema)
        expect(Array.isArray(issues)).toBe(true)
        if (issues.length === 0) expect(Array.isArray(await validate(schema, args))).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})

describe('invalid arguments', () => {
  it.each<[JsonSchema, unknown, string[]]>([
    [object({ city: {} }, { required: ['city', 'day'] }), {}, ['city is required', 'day is required']],
    [object({ count: { type: 'integer' } }), { count: 1.5 }, ['count must be a whole number']],
    [object({ a: {} }, { additionalProperties: false }), { foo: 1 }, ['unknown argument foo']],
    [object({ a: {} }, { unevaluatedProperties: false }), { foo: 1 }, ['unknown argument foo']],
    [object({ a: { enum: ['x', 'y'] } }), { a: 'z' }, ['a must be one of: "x", "y"']],
    [object({ a: { const: 1 } }), { a: 2 }, ['a must be 1']],
    [object({ a: { type: ['string', 'null'] } }), { a: 1 }, ['a must be text or null']],
    [
      object({ a: { minLength: 1 }, b: { maxLength: 2 } }),
      { a: '', b: 'abc' },
      ['a must not be empty', 'b can have at most 2 characters'],
    ],
    [object({ a: { type: 'string', format: 'email' } }), { a: 'x' }, ['a must be an email address']],
    [
      object({ a: { minimum: 1 }, b: { exclusiveMaximum: 5 } }),
      { a: 0, b: 5 },
      ['a must be at least 1', 'b must be less than 5'],
    ],
    [object({ a: { pattern: '^x' } }), { a: 'y' }, ['a must match the pattern ^x']],
    [
      object({ a: { properties: { b: { type: 'boolean' } } } }),
      { a: { b: 1 } },
      ['a.b must be true or false'],
    ],
    [object({ 'a/b': { items: { type: 'number' } } }), { 'a/b': [1, 'x'] }, ['a/b[1] must be a number']],
    [
      object({ a: { uniqueItems: true, minItems: 3 } }),
      { a: [1, 1] },
      ['a must have at least 3 entries', 'a must not contain duplicates'],
    ],
    [
      object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }),
      { a: 1 },
      ['a must be text, or a must be null'],
    ],
    [
      object({}, { anyOf: [{ required: ['email'] }, { required: ['phone'] }] }),
      {},
      ['email is required, or phone is required'],
    ],
    [object({ a: { oneOf: [{}, {}] } }), { a: 1 }, ['a must match exactly one of its alternatives']],
    [object({}, { dependentRequired: { a: ['b'] } }), { a: 1 }, ['b is required if you pass a']],
    [object({ a: { not: {} } }), { a: 1 }, ["a has a value that isn't allowed"]],
    [object({}), ['a'], ['the arguments must be an object']],
  ])('describes each invalid argument: schema %j, arguments %j', async (schema, args, words) => {
    expect(checkToolSchema(schema)).toEqual([])
    expect(await validate(schema, args)).toEqual(words)
  })

  it("doesn't count inherited properties as arguments", async () => {
    const schema = object({ toString: { type: 'string' } }, { required: ['toString'] })
    expect(await validate(schema, {})).toEqual(['toString is required'])
  })

  it('rejects an argument named __proto__', async () => {
    const args: unknown = JSON.parse('{"__proto__":{"admin":true}}')
    expect(await validate(object({ a: {} }, { additionalProperties: false }), args)).toEqual([
      'unknown argument __proto__',
    ])
  })

  it('lists at most ten issues and truncates long names', async () => {
    const args = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${at}`.padEnd(5000, 'x'), 1]))
    const words = await validate(object({}, { additionalProperties: false }), args)
    expect(words).toHaveLength(11)
    expect(words.at(-1)).toBe('and 20 more issues')
    expect(words.join().length).toBeLessThan(2000)
  })
})

describe('limits on the cost of validation', () => {
  it.each<[string, JsonSchema, () => unknown, RegExp]>([
    [
      'a pattern that backtracks',
      object({ a: { pattern: '^(a+)+$' } }),
      () => ({ a: `${'a'.repeat(60)}!` }),
      /too long/,
    ],
    [
      'a pattern that backtracks in two places',
      object({ a: { pattern: '^[^@]*@?[^@]*@?[^@]*!$' } }),
      () => ({ a: 'a'.repeat(9_000) }),
      /too long/,
    ],
    [
      'a pattern that can match anywhere',
      object({ a: { pattern: '[a-z]{0,999}[a-z]{0,999}[a-z]{0,999}!' } }),
      () => ({ a: 'a'.repeat(9_000) }),
      /too long/,
    ],
    [
      'a pattern for names of any length',
      object({}, { propertyNames: { pattern: '^[a-z]*[a-z]{240}$' } }),
      () => ({ [`${'a'.repeat(2_000_000)}!`]: 1 }),
      /too long/,
    ],
    [
      'alternatives that double at each level',
      object(
        { a: { $ref: '#/$defs/a' } },
        {
          $defs: {
            a: {
              anyOf: ['b', 'c'].map((name) => ({ type: 'array', items: { $ref: '#/$defs/a' }, title: name })),
            },
          },
        },
      ),
      () => ({ a: JSON.parse('['.repeat(60) + '1' + ']'.repeat(60)) as unknown }),
      /too long/,
    ],
    [
      'a part that refers to itself',
      object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } }),
      () => ({ a: 1 }),
      /too long/,
    ],
    [
      'values with a million levels',
      object({ a: {} }),
      () => JSON.parse('{"a":'.repeat(1e6) + '1' + '}'.repeat(1e6)) as unknown,
      /nested too deeply/,
    ],
    [
      'a million values',
      object({ a: { items: { type: 'string' } } }),
      () => ({ a: new Array(1e6).fill(1) }),
      /too many values/,
    ],
  ])('apply to %s', async (_what, schema, args, words) => {
    expect((await validate(schema, args())).join()).toMatch(words)
  })

  it.each<[pattern: string, steps: number]>([
    ['^[A-Z]{2}-[0-9]{4,8}$', 16],
    ['^\\+?[1-9]\\d{6,14}$', 49],
    ['^[a-z]+$', 2],
    ['^[\\d\\]]{3}\\$', 5],
    ['', Infinity],
    ['a+', Infinity],
    ['^a+b+$', Infinity],
    ['^(a+)+$', Infinity],
    ['^a|b$', Infinity],
    ['^a\\1', Infinity],
    ['^a\\b', Infinity],
    ['^a{2}{3}', Infinity],
    ['^a{1000}', Infinity],
  ])('depend on how many steps the pattern %p can take', (pattern, steps) => {
    expect(countPatternSteps(pattern)).toBe(steps)
  })

  it("allow a simple pattern, which rejects text that doesn't match", async () => {
    const schema = object({ order: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{4,8}$' } })
    expect(await validate(schema, { order: 'RL-20418' })).toEqual([])
    expect((await validate(schema, { order: 'RL-204' })).join()).toMatch(/order/)
  })

  it('allow a text of 4 MB', async () => {
    expect(await validate(object({ a: { type: 'string' } }), { a: 'x'.repeat(4 << 20) })).toEqual([])
  })
})

describe('compiled validators', () => {
  it("report that a tool isn't set up correctly if its schema is invalid", async () => {
    await expect(validate({ type: 'strin' }, {})).rejects.toThrow("tool isn't set up correctly")
  })

  it('are compiled again for a new version of a tool, and for another tool of the same server', async () => {
    const key = { id: 1_000_000, version: 1, name: 'a', workspaceId: 1 }
    const count = async (tool: typeof key, type: string) =>
      (await validators.findIssues(tool, object({ a: { type } }), { a: 'x' })).length
    expect(await count(key, 'string')).toBe(0)
    expect(await count(key, 'number')).toBe(0) // compiled before
    expect(await count({ ...key, version: 2 }, 'number')).toBe(1)
    expect(await count({ ...key, name: 'b' }, 'boolean')).toBe(1)
  })

  it('keep the schemas of different tools apart even if the schemas have the same $id', async () => {
    const withId = (type: string) => object({ a: { type } }, { $id: 'https://example.com/same' })
    expect(checkToolSchema(withId('string'))).toEqual([])
    expect(checkToolSchema(withId('number'))).toEqual([])
    expect(await validate(withId('string'), { a: 'x' })).toEqual([])
    expect(await validate(withId('number'), { a: 1 })).toEqual([])
  })
})

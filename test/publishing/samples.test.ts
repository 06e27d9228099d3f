import { expect, it } from '@jest/globals'
import type { PlainOutputField } from 'zapier-platform-core'
import { samplePaths } from '../../scripts/connector-keys.ts'
import { named, outputFieldsOf, visibleSteps } from '../support/steps.ts'

// Zapier's checks of samples. Titles start with Zapier's numbers for the checks.

/** Returns a sample's value for an output field's key, such as `a__b` or `a[]b`. Undefined if a part is missing. */
function getValue(sample: unknown, key: string): unknown {
  let value = sample
  for (const part of key.split(/__|\[\]/)) {
    if (Array.isArray(value)) [value] = value as unknown[]
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

const hasType: Record<NonNullable<PlainOutputField['type']>, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  // D023: ISO 8601 with a time zone.
  datetime: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value),
  file: () => false,
  password: () => false,
}

/** Returns true if the sample has no value that can be checked: null, or a field of an empty list's items. */
function isEmpty(sample: unknown, key: string): boolean {
  const [list = '', ofItem] = key.split('[]')
  const items = getValue(sample, list)
  if (ofItem !== undefined) return Array.isArray(items) && items.length === 0
  return items === null
}

/** Steps whose output has no ID, with the keys that identify an output. */
const primaryKeys: Partial<Record<string, string[]>> = {
  cancel_waiting_calls: [],
  add_to_do_not_call_list: [],
  find_do_not_call_number: ['phone_number'],
}

it.each(named(visibleSteps))('D010, D012: %s has a sample with its primary key', (key, step) => {
  const primary = outputFieldsOf(step)
    .filter((field) => field.primary)
    .map((field) => field.key)
  const expected = primaryKeys[key] ?? ['id']
  expect(primary).toEqual(expected)
  for (const id of expected) expect(step.operation.sample).toHaveProperty(id)
  expect(step.operation.sample).toBeDefined()
})

it.each(named(visibleSteps))(
  'D023, D024: in the sample of %s, values have the types of their fields, and at least 60% of the fields have a value',
  (_key, step) => {
    const { sample = {} } = step.operation
    const fields = outputFieldsOf(step)
    const skipped = fields.filter(({ key }) => isEmpty(sample, key))
    const wrong = fields
      .filter((field) => !skipped.includes(field))
      .filter(({ key, type = 'string', list }) => {
        const value = getValue(sample, key)
        const values = list && Array.isArray(value) ? (value as unknown[]) : [value]
        return values.length === 0 || !values.every((one) => hasType[type](one))
      })
    expect(wrong.map(({ key }) => key)).toEqual([])
    // The check above ignores missing values, so it would accept an almost empty sample. Users couldn't map fields with it.
    expect(skipped.length).toBeLessThanOrEqual(fields.length * 0.4)
  },
)

it.each(named(visibleSteps))('D024: %s has an output field for every value in its sample', (_key, step) => {
  const { sample = {} } = step.operation
  const keys = outputFieldsOf(step).map(({ key }) => key)
  const unnamed = samplePaths(sample).filter((path) => !keys.includes(path))
  // A list has a field for each field of its items, for example `transcript[]text` instead of `transcript`.
  expect(unnamed.filter((path) => !keys.some((key) => key.startsWith(`${path}[]`)))).toEqual([])
})

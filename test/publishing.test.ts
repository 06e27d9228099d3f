import { createRequire } from 'node:module'
import { expect, it } from '@jest/globals'
import type { PlainInputField, PlainOutputField } from 'zapier-platform-core'
import app from '../index.ts'

// Zapier runs these checks on its servers before it publishes an integration. The titles start with their numbers.
interface Action {
  key: string
  noun: string
  display: { label: string; description: string; hidden?: boolean }
  operation: {
    type?: string
    inputFields?: (PlainInputField | ((...args: never[]) => unknown))[]
    inputFieldGroups?: { key: string; label?: string }[]
    outputFields?: PlainOutputField[]
    sample?: Record<string, unknown>
    perform: unknown
    performList?: unknown
    performSubscribe?: unknown
    performUnsubscribe?: unknown
  }
}

const triggers = Object.values(app.triggers) as Action[]
const creates = Object.values(app.creates) as Action[]
const searches = Object.values(app.searches) as Action[]
const hooks = triggers.filter(({ operation }) => operation.type === 'hook')
const everything = [...triggers, ...creates, ...searches]
const visible = everything.filter(({ display }) => !display.hidden)
const named = (actions: Action[]) => actions.map((action) => [action.key, action] as const)

const isField = (field: unknown): field is PlainInputField => typeof field !== 'function'
/** Returns the fields that take a value: a copy field only shows a text. */
const listFields = ({ operation }: Action) =>
  (operation.inputFields ?? []).filter(isField).filter(({ type }) => type !== 'copy')
const allFields = visible.flatMap((action) =>
  listFields(action).map((field) => [`${action.key}.${field.key}`, field] as const),
)

const smallWords = /^(a|an|and|at|by|for|if|in|is|of|on|or|the|to)$/
const isTitleCase = (label: string) =>
  label.split(' ').every((word, index) => (index > 0 && smallWords.test(word)) || /^[^a-z]/.test(word))

/** Returns a sample's value for an output field's key, such as `a__b` or `a[]b`. */
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

/** Returns the path of every plain value in a sample. Of a list, only the first item counts. */
function listPaths(value: unknown, path: string): string[] {
  if (Array.isArray(value)) {
    const [first] = value as unknown[]
    return typeof first === 'object' && first !== null ? listPaths(first, `${path}[]`) : [path]
  }
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, item]) =>
    listPaths(item, path === '' || path.endsWith('[]') ? `${path}${key}` : `${path}__${key}`),
  )
}

it.each(allFields)('D001: %s asks for no secret', (_name, field) => {
  expect(field.key).not.toMatch(/secret|token|password|passwd|api_?key|access_?key/i)
  expect(field.type).not.toBe('password')
})

it('D003: the connection label is unique and contains no secret', () => {
  const { connectionLabel } = app.authentication as { connectionLabel: string }
  // test/authentication.test.ts checks what the label shows for two users.
  expect(connectionLabel).toBe('{{account}}')
})

it.each(allFields)('D004, D005: %s has a dropdown that exists if it takes an ID', (_name, field) => {
  if (/(^|_)id$/.test(field.key)) expect(field.dynamic).toBeDefined()
  const [dynamic] = (field.dynamic ?? '').split('.')
  if (dynamic) expect(Object.keys(app.triggers)).toContain(dynamic)
  const [search] = (field.search ?? '').split('.')
  if (search) expect(Object.keys(app.searches)).toContain(search)
})

it.each(named(hooks))(
  'D006, D017: the hook %s can subscribe, unsubscribe, and be tested',
  (_key, { operation }) => {
    expect(operation.performList).toBeInstanceOf(Function)
    expect(operation.performSubscribe).toBeInstanceOf(Function)
    expect(operation.performUnsubscribe).toBeInstanceOf(Function)
  },
)

it('D007, D008: every link in a text uses https', () => {
  expect(JSON.stringify(app)).not.toMatch(/http:\/\//)
  expect(JSON.stringify(app)).not.toMatch(/\]\((?!https:\/\/)/)
})

it.each(named(visible))('D010, D012: %s has a sample with its primary key', (_key, { operation }) => {
  const primary = operation.outputFields?.filter((field) => field.primary).map(({ key }) => key)
  expect(primary).toEqual(['id'])
  expect(operation.sample).toHaveProperty('id')
})

it.each(allFields)(
  'D011: the help text of %s says more than its label',
  (_name, { label = '', helpText }) => {
    if (helpText === undefined) return
    expect(helpText.length).toBeGreaterThanOrEqual(20)
    expect(helpText.toLowerCase()).not.toBe(label.toLowerCase())
    expect(helpText).not.toMatch(/^(enter|the) (the )?\w+\.?$/i)
    expect(helpText).toMatch(/[.?]$/)
  },
)

it.each(named(everything))('D018: %s has labels in Title Case', (_key, action) => {
  const labels = [
    action.display.label,
    action.noun,
    ...listFields(action).map(({ label }) => label ?? ''),
    ...(action.operation.outputFields ?? []).map(({ label }) => label ?? ''),
    ...(action.operation.inputFieldGroups ?? []).map(({ label }) => label ?? ''),
  ]
  expect(labels.filter((label) => label === '' || !isTitleCase(label))).toEqual([])
})

it.each(named(everything))(
  'D021: the description of %s is one sentence in the required form',
  (key, { display }) => {
    const verb = key in app.triggers ? /^Triggers when / : /^(Creates|Finds|Queues) /
    expect(display.description).toMatch(verb)
    expect(display.description).toMatch(/^[^.]+\.$/)
  },
)

it.each(named(creates))("D022: the fields of %s don't depend on a connection", (_key, { operation }) => {
  expect((operation.inputFields ?? []).every(isField)).toBe(true)
})

it.each(named(visible))(
  'D023, D024: the sample of %s matches its output fields, and they cover it',
  (_key, { operation }) => {
    const { sample = {}, outputFields = [] } = operation
    for (const { key, type = 'string', list } of outputFields) {
      const value = getValue(sample, key)
      if (value === null || (value === undefined && key.includes('[]'))) continue
      const values = list ? (value as unknown[]) : [value]
      expect([key, values.every((one) => hasType[type](one))]).toEqual([key, true])
    }
    const keys = outputFields.map(({ key }) => key)
    // The user chooses the keys in these objects, so their fields can't be known in advance.
    const open = /(^|__)(variables|metadata|extracted)(__|$)/
    const unnamed = listPaths(sample, '').filter((path) => !keys.includes(path) && !open.test(path))
    expect(unnamed.filter((path) => !(getValue(sample, path) instanceof Array))).toEqual([])
  },
)

it('D027, D028: runs on the installed version of core, and gets blank input unchanged', () => {
  const { dependencies } = createRequire(import.meta.url)('../package.json') as {
    dependencies: Record<string, string>
  }
  expect(dependencies['zapier-platform-core']).toBe(app.platformVersion)
  expect(app.flags).toEqual({ cleanInputData: false, throwForThrottlingEarly: false })
})

it('puts every field with a group into a group that exists', () => {
  for (const action of visible) {
    const groups = (action.operation.inputFieldGroups ?? []).map(({ key }) => key)
    const unknown = listFields(action).filter(({ group }) => group !== undefined && !groups.includes(group))
    expect(unknown.map(({ key }) => key)).toEqual([])
  }
})

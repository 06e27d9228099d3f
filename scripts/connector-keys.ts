import { format, resolveConfig } from 'prettier'
import type { PlainInputField, PlainOutputField } from 'zapier-platform-core'
import app from '../index.ts'

export const keysFile = new URL('../test/publishing/keys.json', import.meta.url)

/** The parts of a step to which Zaps and Zap templates refer. */
interface Step {
  display: { hidden?: boolean }
  operation: {
    type?: string
    canPaginate?: boolean
    inputFields?: readonly (PlainInputField | ((...args: never[]) => unknown))[]
    outputFields?: readonly (PlainOutputField | ((...args: never[]) => unknown))[]
    sample?: object
  }
}

/** The maximum number of choices to record. Longer lists, such as countries, are left out: items are only added to them. */
const maxChoices = 20

function describeInput(field: PlainInputField): string {
  const { type = 'string', required, list, dict, choices, altersDynamicFields, computed } = field
  const values = Object.keys(choices ?? {})
  return [
    type,
    required ? 'required' : '',
    list ? 'list' : '',
    dict ? 'dictionary' : '',
    altersDynamicFields ? 'changes other fields' : '',
    computed ? 'from the connection' : '',
    values.length > 0 && values.length <= maxChoices ? values.join(' | ') : '',
  ]
    .filter(Boolean)
    .join(', ')
}

/** Returns the paths of all values in a sample, in Zapier's notation: `a__b` for an object, `a[]b` for a list. */
export function samplePaths(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) {
    const [first] = value as unknown[]
    return typeof first === 'object' && first !== null ? samplePaths(first, `${path}[]`) : [path]
  }
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, item]) =>
    samplePaths(item, path === '' || path.endsWith('[]') ? `${path}${key}` : `${path}__${key}`),
  )
}

function describeFields<Field extends { key: string }>(
  fields: readonly (Field | ((...args: never[]) => unknown))[],
  describe: (field: Field) => string,
): Record<string, string> {
  const isStatic = (field: Field | ((...args: never[]) => unknown)): field is Field =>
    typeof field !== 'function'
  const rows = fields.filter(isStatic).map((field) => [field.key, describe(field)])
  const dynamic = fields.length === rows.length ? [] : [['(from a function)', 'dynamic']]
  return Object.fromEntries([...rows, ...dynamic]) as Record<string, string>
}

const describeStep = ({ display, operation }: Step) => ({
  ...(display.hidden ? { hidden: true } : {}),
  ...(operation.type ? { type: operation.type } : {}),
  ...(operation.canPaginate ? { canPaginate: true } : {}),
  inputFields: describeFields(operation.inputFields ?? [], describeInput),
  outputFields: describeFields(
    operation.outputFields ?? [],
    ({ type = 'string', list }) => `${type}${list ? ', list' : ''}`,
  ),
  sample: operation.sample ? samplePaths(operation.sample) : [],
})

const describeSteps = (steps: object) =>
  Object.fromEntries(
    Object.entries(steps as Record<string, Step>).map(([key, step]) => [key, describeStep(step)]),
  )

/**
 * Returns the keys of all steps, input fields, output fields, and sample values as JSON. After publication, Zaps and Zap
 * templates depend on these keys, so removing one breaks them.
 */
export async function generateKeys(): Promise<string> {
  const {
    triggers,
    creates,
    searches,
    searchOrCreates = {},
  } = app as typeof app & { searchOrCreates?: object }
  const keys = {
    authentication: {
      type: app.authentication?.type,
      fields: describeFields(app.authentication?.fields ?? [], describeInput),
    },
    triggers: describeSteps(triggers),
    creates: describeSteps(creates),
    searches: describeSteps(searches),
    searchOrCreates: Object.keys(searchOrCreates),
  }
  return format(JSON.stringify(keys), { ...(await resolveConfig(keysFile)), parser: 'json' })
}

// cspell:ignore nonoptional prefault
import type * as z from 'zod'
import { noInput } from '../../dashboard/page/define-page.ts'

/** A value inside an input, such as a field of a form or of a body. */
export interface InputField {
  /** The names and indexes that lead to the value. `*` stands for any name. */
  path: string[]
  /** The maximum length of the text. Null if the value isn't free text, but for example a number. */
  maxLength: number | null
  /** True if this isn't a value, but the key of an object that accepts any key. */
  isKey: boolean
  /** True if an invalid value is ignored or replaced, instead of causing a validation error. */
  isIgnoredIfInvalid: boolean
  /** True if the length of the text isn't checked before a pattern, a parser, or other code reads it. */
  isUnbounded: boolean
}

/** Finds every value that an input can have, at any depth. */
export function listInputFields(schema: z.ZodType): InputField[] {
  // This schema is for a form without fields or a page without a query. The service ignores what a client sends anyway.
  if (schema === noInput) return []
  return listFields(schema, { path: [], isKey: false, isIgnoredIfInvalid: false })
}

type Place = Pick<InputField, 'path' | 'isKey' | 'isIgnoredIfInvalid'>

function listFields(schema: z.core.$ZodType, place: Place): InputField[] {
  const inner = (part: z.core.$ZodType, ...path: string[]) =>
    listFields(part, { ...place, path: [...place.path, ...path] })
  const leaf = (maxLength: number | null, isUnbounded = false): InputField[] => [
    { ...place, maxLength, isUnbounded },
  ]
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'string':
      return listText(schema, leaf)
    case 'object':
      return [
        ...Object.entries(def.shape).flatMap(([name, part]) => inner(part, name)),
        ...(def.catchall === undefined || def.catchall._zod.def.type === 'never'
          ? []
          : inner(def.catchall, '*')),
      ]
    case 'record':
      return [
        ...listFields(def.keyType, { ...place, path: [...place.path, '*'], isKey: true }),
        ...inner(def.valueType, '*'),
      ]
    case 'array':
      return inner(def.element, '0')
    case 'union':
      return def.options.flatMap((option) => inner(option))
    case 'pipe':
      // After a transformation, the second part checks the value. Otherwise, the first part does.
      return inner(def.in._zod.def.type === 'transform' ? def.out : def.in)
    case 'catch':
      return listFields(def.innerType, { ...place, isIgnoredIfInvalid: true })
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'nonoptional':
      return inner(def.innerType)
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
    case 'null':
    case 'custom':
      return leaf(null)
    case 'undefined':
      return []
    case 'any':
    case 'bigint':
    case 'date':
    case 'file':
    case 'function':
    case 'intersection':
    case 'lazy':
    case 'map':
    case 'nan':
    case 'never':
    case 'promise':
    case 'set':
    case 'success':
    case 'symbol':
    case 'template_literal':
    case 'transform':
    case 'tuple':
    case 'unknown':
    case 'void':
      return leaf(null, true)
  }
}

/** Formats whose patterns match only texts of a fixed length. */
const shortFormats = ['uuid', 'guid', 'date']

/** Returns the field for a text schema. Reads the schema's checks in their order, because the length must be checked first. */
function listText(
  schema: z.core.$ZodType,
  leaf: (maxLength: number | null, isUnbounded?: boolean) => InputField[],
): InputField[] {
  const { def } = schema._zod as z.core.$ZodString['_zod']
  if ('format' in def && typeof def.format === 'string') return leaf(null, !shortFormats.includes(def.format))
  for (const check of def.checks ?? []) {
    const rule = check._zod.def
    if (rule.check === 'max_length')
      return leaf((rule as z.core.$ZodCheckMaxLengthDef).maximum, rule.abort !== true)
    // Trimming doesn't count as reading the text, because its time is in proportion to the length.
    if (rule.check !== 'overwrite' && rule.check !== 'min_length') break
  }
  return leaf(null, true)
}

/**
 * Returns a text one character over a field's limit, and a very long one. Fields without free text, such as numbers, reject
 * both, too.
 */
export const textsOverLimit = ({ maxLength }: InputField): string[] => [
  'x'.repeat((maxLength ?? 1_000) + 1),
  'x'.repeat(Math.max(400_000, (maxLength ?? 0) + 1)),
]

/** Returns an input in which only this field has a value. */
export function withOnly({ path, isKey }: Pick<InputField, 'path' | 'isKey'>, text: string): unknown {
  const [name, ...rest] = path
  if (name === undefined) return text
  const value = isKey && rest.length === 0 ? 'x' : withOnly({ path: rest, isKey }, text)
  if (name === '0') return [value]
  return { [name !== '*' ? name : isKey && rest.length === 0 ? text : 'x']: value }
}

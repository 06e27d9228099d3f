// cspell:ignore nonoptional prefault
import type * as z from 'zod'
import { noInput } from '../../dashboard/page/define-page.ts'

/** A value inside an input, such as a field of a form or of a body. */
export interface InputField {
  /** The names and indexes that lead to it. `*` is any name. */
  path: string[]
  /** The longest text that it accepts. Null if only some texts are accepted, such as numbers. */
  maxLength: number | null
  /** The key of an object whose names aren't known in advance, instead of its value. */
  isKey: boolean
  /** An invalid value is ignored or replaced. */
  isIgnoredIfInvalid: boolean
  /** True if the text meets a pattern, a parser, or the rest of the code before or without a check of its length. */
  isUnbounded: boolean
}

/** Finds every value that an input can have, at any depth. */
export function listInputFields(schema: z.ZodType): InputField[] {
  // A form without fields, or a page without a query. What's sent anyway isn't read.
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
      // A preprocessed value is checked by what follows. Otherwise, the rest gets only what the first part accepts.
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

/** Formats whose patterns have a fixed length. */
const shortFormats = ['uuid', 'guid', 'date']

/** Reads the checks of a text in their order. */
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
    // Trimming takes time in proportion to the length.
    if (rule.check !== 'overwrite' && rule.check !== 'min_length') break
  }
  return leaf(null, true)
}

/** Texts that are over a field's limit: by one character, and by far. A field of other values accepts neither. */
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

import * as z from 'zod'
import { invalidField } from '../../platform/core/form-errors.ts'
import type { JsonSchema } from '../../tools/json-schema/compile-schema.ts'
import { IssueCollector } from '../page/collect-issues.ts'
import { trimmedField } from '../page/forms.ts'

export const parameterTypes = [
  { value: 'string', label: 'Text' },
  { value: 'integer', label: 'Whole number' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes or no' },
] as const

const Type = z.enum(parameterTypes.map(({ value }) => value))

/** An argument of a tool, as one row of the form. */
export interface Parameter {
  name: string
  type: z.infer<typeof Type>
  about: string
  isRequired: boolean
}

/** A schema that rows can represent without losing anything. */
const SimpleSchema = z.strictObject({
  type: z.literal('object'),
  properties: z
    .record(z.string(), z.strictObject({ type: Type, description: z.string().optional() }))
    .default({}),
  required: z.array(z.string()).default([]),
  additionalProperties: z.literal(false),
})

/** Converts a schema to the rows of a form. Returns undefined for a schema that rows can't represent. */
export function toParameters(schema: JsonSchema): Parameter[] | undefined {
  const parsed = SimpleSchema.safeParse(schema)
  if (!parsed.success) return undefined
  const { properties, required } = parsed.data
  if (required.some((name) => !Object.hasOwn(properties, name))) return undefined
  return Object.entries(properties).map(([name, { type, description = '' }]) => ({
    ...{ name, type, about: description },
    isRequired: required.includes(name),
  }))
}

export const toSchema = (parameters: readonly Parameter[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    parameters.map(({ name, type, about }) => [name, { type, ...(about !== '' && { description: about }) }]),
  ),
  required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  additionalProperties: false,
})

const maxRows = 50

/** Numbers the rows that a form shows: the existing ones, and a few blank ones. */
export const rowNumbers = (existing: number): number[] =>
  Array.from({ length: Math.min(maxRows, Math.max(4, existing + 2)) }, (_, index) => index + 1)

/**
 * Returns the rows that were filled in.
 *
 * @throws {ApiError} validation_failed for a row without a valid name, or for a duplicate name
 */
export function parseParameters(raw: Readonly<Record<string, unknown>>): Parameter[] {
  const text = (name: string) => trimmedField(raw, name)
  const rows = Array.from({ length: maxRows }, (_, index) => `param.${index + 1}`)
  const filled = rows.filter((row) => ['name', 'about'].some((part) => text(`${row}.${part}`) !== ''))
  const names = filled.map((row) => text(`${row}.name`))
  const issues = new IssueCollector()
  const parseRow = (row: string, index: number): Parameter => {
    const name = names[index] ?? ''
    const field = `${row}.name`
    if (!/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)) {
      const message =
        'Use only letters, digits, -, and _ for the argument name, for example city. Start with a letter or _.'
      throw invalidField(field, 'invalid_name', message)
    }
    if (names.indexOf(name) < index) {
      throw invalidField(
        field,
        'already_used',
        `An argument named ${name} already exists. Choose another name.`,
      )
    }
    return {
      name,
      type: Type.catch('string').parse(raw[`${row}.type`]),
      about: text(`${row}.about`),
      isRequired: raw[`${row}.required`] !== undefined,
    }
  }
  const parameters = filled.flatMap((row, index) => issues.collect(() => parseRow(row, index)) ?? [])
  issues.throwIfAny()
  return parameters
}

/**
 * Parses a JSON Schema.
 *
 * @throws {ApiError} validation_failed if it isn't a JSON object
 */
export function parseSchema(text: string): JsonSchema {
  const invalidSchema = (message: string) => invalidField('input_schema', 'invalid_json', message)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalidSchema(`Invalid JSON. ${error instanceof Error ? error.message.slice(0, 200) : ''}`.trim())
  }
  const parsed = z.record(z.string(), z.unknown()).safeParse(value)
  if (!parsed.success)
    throw invalidSchema(
      'The schema must be a JSON object. Put braces around it, for example {"type": "object"}.',
    )
  return parsed.data
}

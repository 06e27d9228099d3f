import type { ErrorDetail } from '@outdial/contract'
import * as z from 'zod'
import { FormError } from '../../platform/core/form-errors.ts'
import { getOwn } from '../../platform/core/records.ts'
import {
  checks,
  type ChecksOptions,
  field,
  type FieldOptions,
  type FormModel,
} from '../../platform/views/forms.ts'
import { type Html, html } from '../../platform/views/html.ts'

/** A form field generated from a JSON Schema: a component, and its data. */
export type SchemaField =
  | { component: 'field'; data: Omit<FieldOptions, 'form'> }
  | { component: 'checks'; data: Omit<ChecksOptions, 'form'> & { required: boolean } }

type InputType = 'text' | 'long' | 'number' | 'check' | 'choice' | 'json'

/** The part of a property's schema that forms use. */
const PropertyFields = z.object({
  type: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
  title: z.string().optional().catch(undefined),
  description: z.string().catch(''),
  maxLength: z.number().optional().catch(undefined),
  enum: z.array(z.unknown()).optional().catch(undefined),
  oneOf: z
    .array(z.object({ const: z.unknown(), title: z.string().optional().catch(undefined) }))
    .optional()
    .catch(undefined),
  default: z.unknown().optional(),
})

const Nullable = z.looseObject({ anyOf: z.array(z.looseObject({ type: z.unknown() })) })

/** Parses a property. If it can be null or one other type, it gets that type's schema, because a form has one input for it. */
const Property = z.preprocess((property) => {
  const alternatives = Nullable.safeParse(property).data?.anyOf.filter(({ type }) => type !== 'null') ?? []
  const [only] = alternatives
  return alternatives.length === 1 && only !== undefined ? { ...only, ...(property as object) } : property
}, PropertyFields)

const ObjectSchema = z.object({
  properties: z.record(z.string(), Property.catch({ description: '', default: undefined })).catch({}),
  required: z.array(z.string()).catch([]),
})

type Property = z.output<typeof Property>

/** Returns fields for an object's properties, required ones first, with `values` or the schema's defaults. */
export function toFormFields(
  schema: unknown,
  prefix: string,
  values: Readonly<Record<string, unknown>>,
): SchemaField[] {
  const { properties, required } = ObjectSchema.parse(schema)
  const fields = Object.entries(properties).map(([name, property]): SchemaField => {
    const hasDefault = property.default !== undefined
    const isRequired = required.includes(name) && !hasDefault
    const input = toInputType(property)
    const data = {
      name: `${prefix}${name}`,
      label: property.title ?? name,
      hint: property.description,
      required: isRequired,
    }
    const value = toFieldValue(getOwn(values, name) ?? property.default, input)
    if (input === 'check') {
      const options = [{ value: 'true', label: 'Yes' }]
      return { component: 'checks', data: { ...data, options, values: [value] } }
    }
    const attributes = inputAttributes(property, input, isRequired || hasDefault)
    return { component: 'field', data: { ...data, value, ...attributes } }
  })
  return [...fields.filter(({ data }) => data.required), ...fields.filter(({ data }) => !data.required)]
}

function inputAttributes(property: Property, input: InputType, hasValue: boolean): Record<string, unknown> {
  if (input === 'choice') {
    const options = listChoices(property).map(({ value, label }) => ({ value: String(value), label }))
    return { options: hasValue ? options : [{ value: '', label: 'No value' }, ...options] }
  }
  if (input === 'json') return { rows: 4, code: true, placeholder: '{ "Name": "Ann Lee" }' }
  if (input === 'long') return { rows: 2 }
  if (input === 'number') {
    return { type: 'number', step: toJsonType(property) === 'integer' ? '1' : 'any' }
  }
  return { autocomplete: 'off' }
}

/**
 * Converts submitted fields to the types in the schema: numbers, booleans for checkboxes, and lists and objects from
 * JSON. Doesn't validate the values against the schema; the operation does.
 *
 * @throws {ApiError} validation_failed if a list or object isn't valid JSON
 */
export function parseFormFields(
  schema: unknown,
  prefix: string,
  raw: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { properties, required } = ObjectSchema.parse(schema)
  const details: ErrorDetail[] = []
  const entries = Object.entries(properties).flatMap(([name, property]): [string, unknown][] => {
    const text = raw[`${prefix}${name}`]
    const input = toInputType(property)
    // Browsers don't send an unchecked box. It means false if the property is required, otherwise no value.
    if (input === 'check')
      return text === undefined && !required.includes(name) ? [] : [[name, text === 'true']]
    if (typeof text !== 'string') return []
    if (input === 'choice') {
      return [[name, listChoices(property).find(({ value }) => String(value) === text)?.value ?? text]]
    }
    if (input === 'number')
      return [[name, /^\s*[-+\d.]/.test(text) && !isNaN(Number(text)) ? Number(text) : text]]
    if (input !== 'json') return [[name, text]]
    try {
      return [[name, JSON.parse(text) as unknown]]
    } catch {
      details.push({ field: `${prefix}${name}`, code: 'invalid_json', message: invalidJsonMessage })
      return []
    }
  })
  const [first] = details
  if (first !== undefined) throw new FormError('validation_failed', first.message, { details })
  return Object.fromEntries(entries)
}

const invalidJsonMessage = 'Invalid JSON. Put names and text in double quotes, and remove trailing commas.'

function toJsonType({ type }: Property): string | undefined {
  const types = [type ?? []].flat().filter((one) => one !== 'null')
  return types.length === 1 ? types[0] : undefined
}

function toInputType(property: Property): InputType {
  if (listChoices(property).length > 0) return 'choice'
  const type = toJsonType(property)
  if (type === 'boolean') return 'check'
  if (type === 'integer' || type === 'number') return 'number'
  if (type !== 'string') return 'json'
  return (property.maxLength ?? 0) > 500 ? 'long' : 'text'
}

const listChoices = (property: Property): { value: unknown; label: string }[] =>
  property.oneOf?.map((choice) => ({ value: choice.const, label: choice.title ?? String(choice.const) })) ??
  property.enum?.map((value) => ({ value, label: String(value) })) ??
  []

function toFieldValue(value: unknown, input: InputType): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' && input !== 'json') return value
  return JSON.stringify(value, null, input === 'json' ? 2 : 0)
}

/** Shows form fields generated from a JSON Schema. */
export const schemaFields = (form: FormModel, fields: readonly SchemaField[]): Html =>
  html`${fields.map(
    ({ component, data }) => html`
      ${component === 'checks' ? checks({ form, ...data }) : field({ form, ...data })}`,
  )}`

import * as z from 'zod'

const JsonSchema = z.looseObject({
  $ref: z.string().optional(),
  $defs: z.record(z.string(), z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).default({}),
  items: z.unknown().optional(),
  allOf: z.array(z.unknown()).default([]),
  anyOf: z.array(z.unknown()).default([]),
  oneOf: z.array(z.unknown()).default([]),
})

/** Returns the paths of a schema's ID fields, such as `filter.campaign_id`. The names of ID fields end in `id` or `ids`. */
export const findIdFields = (schema: z.ZodType): string[] => [
  ...new Set(findInJsonSchema(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), [], {})),
]

function findInJsonSchema(schema: unknown, path: string[], definitions: Record<string, unknown>): string[] {
  const parsed = JsonSchema.safeParse(schema)
  if (!parsed.success) return []
  const { $ref, $defs = definitions, properties, items, allOf, anyOf, oneOf } = parsed.data
  const target = $ref === undefined ? undefined : $defs[$ref.replace('#/$defs/', '')]
  return [
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(/(^|_)ids?$/.test(name) ? [[...path, name].join('.')] : []),
      ...findInJsonSchema(field, [...path, name], $defs),
    ]),
    ...[target, items, ...allOf, ...anyOf, ...oneOf].flatMap((part) => findInJsonSchema(part, path, $defs)),
  ]
}

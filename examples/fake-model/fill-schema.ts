import type { FakeSchema } from './chat-protocol.ts'

const dayMs = 86_400_000

/** Returns a value that matches a JSON Schema. Objects get every property, and texts get `text`. */
export function fillSchema(schema: FakeSchema, text: string): unknown {
  if (schema.enum !== undefined) return schema.enum[0]
  const [first] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  if (first !== undefined) return fillSchema(first, text)
  const type = [schema.type ?? 'object'].flat().find((name) => name !== 'null') ?? 'null'
  switch (type) {
    case 'string':
      return schema.format === 'date-time' ? new Date(Date.now() + dayMs).toISOString() : text
    case 'number':
    case 'integer':
      return 1
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [name, fillSchema(property, text)]),
      )
    default:
      return null
  }
}

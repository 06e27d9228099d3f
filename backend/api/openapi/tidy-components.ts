import type { OpenAPIV3_1 } from 'openapi-types'

type Schemas = Record<string, OpenAPIV3_1.SchemaObject>

const prefix = '#/components/schemas/'

/**
 * Removes unused schemas. `jsonSchemaTransform` writes each schema twice: for output under its name, and for input with
 * `Input` after it. If only the input is used, or both are the same, drops `Input`.
 */
export function tidyComponents(document: Partial<OpenAPIV3_1.Document>): Partial<OpenAPIV3_1.Document> {
  const schemas: Schemas = document.components?.schemas ?? {}
  const used = findReferencedSchemas({ ...document, components: {} }, schemas)
  const plainName = (name: string): string => {
    const plain = name.replace(/Input$/, '')
    if (plain === name || !(plain in schemas)) return name
    return used.has(plain) && !sameSchema(schemas[plain], schemas[name]) ? name : plain
  }
  const plainSchemas: Schemas = {}
  for (const name of [...used].sort()) {
    const schema = schemas[name] ?? {}
    plainSchemas[plainName(name)] = name.endsWith('Input') ? schema : allowMoreProperties(schema)
  }
  const tidy = { ...document, components: { ...document.components, schemas: plainSchemas } }
  return mapRefs(tidy, (ref) => (ref.startsWith(prefix) ? prefix + plainName(ref.slice(prefix.length)) : ref))
}

/** Allows unknown fields: responses may gain fields in version 1. */
const allowMoreProperties = (schema: OpenAPIV3_1.SchemaObject): OpenAPIV3_1.SchemaObject =>
  rewrite(schema, (key, value) => (key === 'additionalProperties' && value === false ? undefined : value))

function findReferencedSchemas(from: unknown, schemas: Schemas): Set<string> {
  const found = new Set<string>()
  const collect = (part: unknown): void => {
    for (const name of findSchemaNames(part)) {
      if (found.has(name)) continue
      found.add(name)
      collect(schemas[name])
    }
  }
  collect(from)
  return found
}

const findSchemaNames = (part: unknown): string[] =>
  [...JSON.stringify(part ?? {}).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  )

const sameSchema = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const mapRefs = <Part>(part: Part, rename: (ref: string) => string): Part =>
  rewrite(part, (key, value) => (key === '$ref' && typeof value === 'string' ? rename(value) : value))

const rewrite = <Part>(part: Part, replace: (key: string, value: unknown) => unknown): Part =>
  JSON.parse(JSON.stringify(part, replace)) as Part

import type { OpenAPIV3_1 } from 'openapi-types'

type Schemas = Record<string, OpenAPIV3_1.SchemaObject>

const prefix = '#/components/schemas/'

/**
 * Keeps the schemas that are referred to. The transform writes each twice, as an input and as an output:
 * where one of the two is used, or both are the same, it goes by its plain name.
 */
export function tidyComponents(document: Partial<OpenAPIV3_1.Document>): Partial<OpenAPIV3_1.Document> {
  const schemas: Schemas = document.components?.schemas ?? {}
  const used = reachable({ ...document, components: {} }, schemas)
  const plainName = (name: string): string => {
    const plain = name.replace(/Input$/, '')
    if (plain === name || !(plain in schemas)) return name
    return used.has(plain) && !sameSchema(schemas[plain], schemas[name]) ? name : plain
  }
  const kept: Schemas = {}
  for (const name of [...used].sort()) {
    const schema = schemas[name] ?? {}
    kept[plainName(name)] = name.endsWith('Input') ? schema : withoutClosing(schema)
  }
  const tidy = { ...document, components: { ...document.components, schemas: kept } }
  return mapRefs(tidy, (ref) => (ref.startsWith(prefix) ? prefix + plainName(ref.slice(prefix.length)) : ref))
}

/** Answers may gain fields within version 1: their schemas must not promise that there are no others. */
const withoutClosing = (schema: OpenAPIV3_1.SchemaObject): OpenAPIV3_1.SchemaObject =>
  rewrite(schema, (key, value) => (key === 'additionalProperties' && value === false ? undefined : value))

function reachable(from: unknown, schemas: Schemas): Set<string> {
  const found = new Set<string>()
  const look = (part: unknown): void => {
    for (const name of namesIn(part)) {
      if (found.has(name)) continue
      found.add(name)
      look(schemas[name])
    }
  }
  look(from)
  return found
}

const namesIn = (part: unknown): string[] =>
  [...JSON.stringify(part ?? {}).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  )

const sameSchema = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const mapRefs = <Part>(part: Part, rename: (ref: string) => string): Part =>
  rewrite(part, (key, value) => (key === '$ref' && typeof value === 'string' ? rename(value) : value))

const rewrite = <Part>(part: Part, replace: (key: string, value: unknown) => unknown): Part =>
  JSON.parse(JSON.stringify(part, replace)) as Part

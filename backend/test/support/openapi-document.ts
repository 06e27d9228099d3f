import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import * as z from 'zod'

const Schema = z.record(z.string(), z.unknown())
export type Schema = z.infer<typeof Schema>

const Content = z.object({
  'application/json': z.object({
    schema: Schema,
    example: z.unknown().optional(),
    examples: z.record(z.string(), z.object({ value: z.unknown() })).optional(),
  }),
})

const Operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.enum(['path', 'query', 'header']),
      required: z.boolean().optional(),
      schema: Schema,
      example: z.unknown().optional(),
    }),
  ),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), z.object({ content: Content.optional(), headers: Schema })),
})

/** The parts of an OpenAPI 3.1 document that the tests use. */
const Document = z.object({
  openapi: z.literal('3.1.0'),
  info: z.object({ license: Schema }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.partialRecord(z.enum(['get', 'post', 'delete']), Operation)),
  webhooks: z.object({
    'call.completed': z.object({
      post: z.object({ description: z.string(), requestBody: z.object({ content: Content }) }),
    }),
  }),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
})
type Document = z.infer<typeof Document>

export interface DescribedOperation extends z.infer<typeof Operation> {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
}

/** The document with a list of its operations and validators for its schemas. */
export interface ParsedDocument {
  document: Document
  operations: DescribedOperation[]
  resolve(schema: Schema): Schema
  validatorFor(schema: Schema): ValidateFunction
}

const methods = { get: 'GET', post: 'POST', delete: 'DELETE' } as const

export function parseDocument(json: unknown): ParsedDocument {
  const document = Document.parse(json)
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true })
  // The types of this CommonJS package have the function only as `default`.
  ajvFormats.default(ajv)
  ajv.addVocabulary(['components', 'example'])
  ajv.addSchema({ $id: 'doc', components: document.components })
  const validators = new Map<string, ValidateFunction>()
  return {
    document,
    operations: Object.entries(document.paths).flatMap(([path, item]) =>
      (['get', 'post', 'delete'] as const).flatMap((method) => {
        const operation = item[method]
        return operation ? [{ ...operation, path, method: methods[method] }] : []
      }),
    ),
    resolve: (schema) => {
      const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
      return name === undefined ? schema : (document.components.schemas[name] ?? {})
    },
    validatorFor: (schema) => {
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"doc#/components/')
      const validatorFor = validators.get(text) ?? ajv.compile(JSON.parse(text) as Schema)
      validators.set(text, validatorFor)
      return validatorFor
    },
  }
}

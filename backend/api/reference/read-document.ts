import { type ErrorCode, errorTexts } from '@outdial/contract'
import type { OpenAPIV3_1 } from 'openapi-types'
import { codeExamples } from './code-examples.ts'
import { type Field, listFields, objectNameOf, type Schema, toField } from './read-fields.ts'

type Document = Partial<OpenAPIV3_1.Document>
type DocumentedOperation = OpenAPIV3_1.OperationObject & { 'x-addition'?: string }

/** The parts of an OpenAPI document that the API reference shows. */
export interface Reference {
  title: string
  version: string
  description: string
  baseUrl: string
  /** The ways to authenticate requests. */
  credentials: { name: string; description: string }[]
  scopes: { name: string; description: string }[]
  groups: { name: string; description: string; operations: Operation[] }[]
  objects: { name: string; fields: Field[] }[]
}

/** A request that clients send, or one that webhook receivers get. */
export interface Operation {
  /** The name of its group. */
  group: string
  id: string
  method: string
  path: string
  summary: string
  description: string
  /** The purpose of an operation that not every client needs. */
  purpose: string
  scopes: string[]
  parameters: (Field & { place: string })[]
  body: Body | null
  responses: { status: string; description: string; body: Body | null }[]
  errors: { status: string; code: string; meaning: string }[]
  examples: { language: string; code: string }[]
}

/** The fields of a request or a response, with an example. */
export interface Body {
  /** The name of the body's object. Null if its fields are listed here. */
  object: string | null
  fields: Field[]
  /** The example as JSON. */
  example: string
}

/** Reads what the API reference shows. */
export function readDocument(document: Document): Reference {
  const baseUrl = document.servers?.[0]?.url ?? ''
  const schemas = new Map(Object.entries(document.components?.schemas ?? {}))
  const objects = listObjects(document)
  const read = (path: string, method: string, operation: DocumentedOperation) =>
    readOperation({ path, method, operation }, { baseUrl, schemas, objects })
  const requests = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods ?? {}).map(([method, operation]) =>
      read(path, method.toUpperCase(), operation as DocumentedOperation),
    ),
  )
  const events = Object.entries(document.webhooks ?? {}).flatMap(([name, item]) =>
    'post' in item && item.post ? [read(name, 'POST', item.post)] : [],
  )
  const operations = [...requests, ...events]
  return {
    title: document.info?.title ?? '',
    version: document.info?.version ?? '',
    description: document.info?.description ?? '',
    baseUrl,
    ...readCredentials(document),
    groups: (document.tags ?? []).map(({ name, description = '' }) => ({
      name,
      description,
      operations: operations.filter(({ group }) => group === name),
    })),
    objects: [...schemas]
      .filter(([name]) => objects.has(name))
      .map(([name, schema]) => ({ name, fields: listFields(resolve(schema, schemas)) })),
  }
}

function readCredentials({ components }: Document): Pick<Reference, 'credentials' | 'scopes'> {
  const names: Record<string, string> = { apiKey: 'API key', oauth2: 'OAuth 2.0' }
  const schemes = Object.entries(components?.securitySchemes ?? {})
  return {
    credentials: schemes.flatMap(([name, scheme]) =>
      '$ref' in scheme ? [] : [{ name: names[name] ?? name, description: scheme.description ?? '' }],
    ),
    scopes: schemes.flatMap(([, scheme]) => {
      const flow = 'flows' in scheme ? scheme.flows.authorizationCode : undefined
      return Object.entries(flow?.scopes ?? {}).map(([name, description]) => ({ name, description }))
    }),
  }
}

/**
 * Returns the names of errors, and of objects inside others. The page describes these once, and not with every operation.
 */
function listObjects({ components, paths }: Document): Set<string> {
  const inOthers = Object.values(components?.schemas ?? {}).flatMap((schema) =>
    listFields(schema).map(({ object }) => object),
  )
  const operations = Object.values(paths ?? {}).flatMap((methods) => Object.values(methods ?? {}))
  const errors = operations.flatMap((operation) =>
    Object.values((operation as DocumentedOperation).responses ?? {}).flatMap((response) => {
      const json = '$ref' in response ? undefined : response.content?.['application/json']
      return json?.examples === undefined || json.schema === undefined ? [] : objectNameOf(json.schema)
    }),
  )
  return new Set([...inOthers, ...errors].filter((name) => name !== null))
}

/** Returns the schema that a name in the document refers to. */
function resolve(schema: Schema, schemas: ReadonlyMap<string, Schema>): Schema {
  const name = objectNameOf(schema)
  const named = name === null ? undefined : schemas.get(name)
  return named === undefined ? schema : resolve(named, schemas)
}

interface Context {
  baseUrl: string
  schemas: ReadonlyMap<string, Schema>
  objects: ReadonlySet<string>
}

function readOperation(
  { path, method, operation }: { path: string; method: string; operation: DocumentedOperation },
  context: Context,
): Operation {
  const parameters = (operation.parameters ?? []).flatMap((parameter) =>
    '$ref' in parameter ? [] : [parameter],
  )
  const content =
    operation.requestBody && !('$ref' in operation.requestBody) ? operation.requestBody : undefined
  const body = readBody(content?.content, context)
  const responses = Object.entries(operation.responses ?? {}).flatMap(([status, response]) =>
    '$ref' in response ? [] : [{ status, response }],
  )
  return {
    group: operation.tags?.[0] ?? '',
    id: operation.operationId ?? '',
    method,
    path,
    summary: operation.summary ?? '',
    description: operation.description ?? '',
    purpose: operation['x-addition'] ?? '',
    scopes: (operation.security ?? []).flatMap((each) => Object.values(each).flat()),
    parameters: parameters.map((parameter) => ({
      ...toField(parameter.name, (parameter.schema ?? {}) as Schema, parameter.required ?? false),
      ...(parameter.description !== undefined && { description: parameter.description }),
      place: parameter.in,
    })),
    body,
    responses: responses
      .filter(({ status }) => !isError(status, operation))
      .map(({ status, response }) => ({
        status,
        description: response.description,
        body: readBody(response.content, context),
      })),
    errors: responses.flatMap(({ status, response }) =>
      Object.keys(response.content?.['application/json']?.examples ?? {}).map((code) => ({
        status,
        code,
        meaning: errorTexts[code as ErrorCode].meaning,
      })),
    ),
    // A webhook has no code examples, because Outdial sends it.
    examples: path.startsWith('/')
      ? codeExamples({
          method,
          url: exampleUrl(path, parameters, context),
          body: content && exampleOf(content.content),
        })
      : [],
  }
}

/** Returns true for an error status of the API. The webhook's statuses don't count: they're what a receiver can return. */
const isError = (status: string, { security }: DocumentedOperation): boolean =>
  security?.length !== 0 && Number(status) >= 400

function exampleUrl(path: string, parameters: OpenAPIV3_1.ParameterObject[], { baseUrl }: Context): string {
  const required = parameters.filter((parameter) => parameter.required)
  const named = required
    .filter((parameter) => parameter.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, String(example)), path)
  const query = new URLSearchParams(
    required
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, example }): [string, string] => [name, String(example)]),
  )
  return `${baseUrl}${named}${query.size === 0 ? '' : `?${query.toString()}`}`
}

type Content = Record<string, OpenAPIV3_1.MediaTypeObject>

const exampleOf = (content: Content): unknown => content['application/json']?.example as unknown

function readBody(content: Content | undefined, { schemas, objects }: Context): Body | null {
  const json = content?.['application/json']
  if (json?.schema === undefined) return null
  const name = objectNameOf(json.schema)
  const isListed = name !== null && objects.has(name)
  return {
    object: isListed ? name : null,
    fields: isListed ? [] : listFields(resolve(json.schema, schemas)),
    example: JSON.stringify(json.example, null, 2),
  }
}

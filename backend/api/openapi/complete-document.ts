import { errorTable } from '@outdial/contract'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Route } from '../define-route.ts'
import { callCompletedWebhook } from './document-frame.ts'
import { describeStatus, errorExample, listErrorCodes } from './error-examples.ts'
import {
  clientParameter,
  headerComponents,
  idempotencyKeyParameter,
  pathIdParameter,
  requestIdParameter,
  responseHeaders,
} from './headers-and-parameters.ts'
import { tidyComponents } from './tidy-components.ts'

type Document = OpenAPIV3_1.Document
type Operation = OpenAPIV3_1.OperationObject
type Responses = OpenAPIV3_1.ResponsesObject

/** Adds what the schemas don't contain: errors, headers, examples, and the webhook. */
export function completeDocument(
  draft: Partial<OpenAPIV3_1.Document>,
  routes: readonly Route[],
  prefix: string,
): Partial<Document> {
  const paths: OpenAPIV3_1.PathsObject = {}
  for (const route of routes) {
    const path = `${prefix}${route.path.replace(':id', '{id}')}`
    const method = methods[route.method]
    const operation = draft.paths?.[path]?.[method]
    if (operation === undefined) throw new Error(`${route.method} ${path} is not in the document`)
    paths[path] = { ...paths[path], [method]: completeOperation(operation, route) }
  }
  return tidyComponents({
    ...draft,
    paths,
    webhooks: { 'call.completed': callCompletedWebhook },
    components: { ...draft.components, headers: headerComponents },
  })
}

const methods = { GET: 'get', POST: 'post', DELETE: 'delete' } as const

function completeOperation(operation: Operation, route: Route): Operation {
  const query = (operation.parameters ?? []).filter(
    (parameter) => 'in' in parameter && parameter.in === 'query',
  )
  return {
    ...operation,
    ...(route.addition !== undefined && { 'x-addition': route.addition }),
    parameters: [
      ...(route.path.includes(':id') ? [pathIdParameter] : []),
      ...query,
      ...(route.idempotent !== undefined ? [idempotencyKeyParameter] : []),
      requestIdParameter,
      clientParameter,
    ],
    ...(operation.requestBody && { requestBody: withExample(operation.requestBody, route) }),
    responses: { ...successResponses(operation.responses ?? {}, route), ...errorResponses(route) },
  }
}

function withExample(body: NonNullable<Operation['requestBody']>, { examples }: Route): typeof body {
  if ('$ref' in body) return body
  const json = body.content['application/json']
  return { required: true, content: { 'application/json': { ...json, example: examples.body } } }
}

function successResponses(drafts: Responses, route: Route): Responses {
  const entries = Object.keys(route.responses).map((status) => {
    const draft = drafts[status]
    const json = draft && 'content' in draft ? draft.content?.['application/json'] : undefined
    const example = route.examples[status]
    const response = {
      description: successDescriptions[status] ?? 'Done',
      headers: responseHeaders(Number(status), route),
      ...(json && { content: { 'application/json': { ...json, example } } }),
    }
    return [status, response] as const
  })
  return Object.fromEntries(entries)
}

const successDescriptions: Record<string, string> = {
  200: 'Success',
  201: 'Created',
  204: 'Deleted',
}

function errorResponses(route: Route): Responses {
  const byStatus = Map.groupBy(listErrorCodes(route), (code) => errorTable[code].status)
  const entries = [...byStatus].map(([status, codes]) => {
    const examples = Object.fromEntries(codes.map((code) => [code, errorExample(code)]))
    const schema = { $ref: '#/components/schemas/ErrorAnswer' }
    const response = {
      description: `${describeStatus(status, codes)}: ${codes.join(', ')}`,
      headers: responseHeaders(status, route),
      content: { 'application/json': { schema, examples } },
    }
    return [String(status), response] as const
  })
  return Object.fromEntries(entries)
}

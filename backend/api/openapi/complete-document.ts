import { errorTable } from '@outdial/contract'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Route } from '../define-route.ts'
import { listErrorCodes, errorExample, statusDescriptions } from './error-examples.ts'
import { answerExamples, bodyExamples } from './api-examples.ts'
import {
  answerHeaders,
  headerComponents,
  idempotencyKeyParameter,
  pathIdParameter,
  requestIdParameter,
} from './headers-and-parameters.ts'
import { tidyComponents } from './tidy-components.ts'
import { callCompletedWebhook } from '../../openapi/webhook.ts'

type Document = OpenAPIV3_1.Document
type Operation = OpenAPIV3_1.OperationObject
type Answers = OpenAPIV3_1.ResponsesObject

/** Adds to what the schemas say: errors, headers, examples, the webhook. */
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
    parameters: [
      ...(route.path.includes(':id') ? [pathIdParameter] : []),
      ...query,
      ...(route.idempotent === true ? [idempotencyKeyParameter] : []),
      requestIdParameter,
    ],
    ...(operation.requestBody && { requestBody: withExample(operation.requestBody, route) }),
    responses: { ...successes(operation.responses ?? {}, route), ...failures(route) },
  }
}

function withExample(body: NonNullable<Operation['requestBody']>, { operationId }: Route): typeof body {
  if ('$ref' in body) return body
  const json = body.content['application/json']
  return { required: true, content: { 'application/json': { ...json, example: bodyExamples[operationId] } } }
}

function successes(drafts: Answers, route: Route): Answers {
  const entries = Object.keys(route.answers).map((status) => {
    const draft = drafts[status]
    const json = draft && 'content' in draft ? draft.content?.['application/json'] : undefined
    const example = answerExamples[route.operationId]?.[Number(status)]
    const answer = {
      description: successDescriptions[status] ?? 'Done',
      headers: answerHeaders(Number(status), route),
      ...(json && { content: { 'application/json': { ...json, example } } }),
    }
    return [status, answer] as const
  })
  return Object.fromEntries(entries)
}

const successDescriptions: Record<string, string> = {
  200: 'Here it is, or it was there already',
  201: 'It was made',
  204: 'It is gone',
}

function failures(route: Route): Answers {
  const byStatus = Map.groupBy(listErrorCodes(route), (code) => errorTable[code].status)
  const entries = [...byStatus].map(([status, codes]) => {
    const examples = Object.fromEntries(codes.map((code) => [code, errorExample(code)]))
    const schema = { $ref: '#/components/schemas/ErrorAnswer' }
    const answer = {
      description: `${statusDescriptions[status]}: ${codes.join(', ')}`,
      headers: answerHeaders(status, route),
      content: { 'application/json': { schema, examples } },
    }
    return [String(status), answer] as const
  })
  return Object.fromEntries(entries)
}

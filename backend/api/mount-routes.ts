import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import { notFound } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import { hasBody, parseJson, requireJson } from '../http/read-body.ts'
import { createRequestAuthenticator, requireScopes } from './authenticate-request.ts'
import { NoBody, type Route, type RouteResponse } from './define-route.ts'

/** Mounts the table: each line behind the gate, its body read, its answer held to its schema. */
export async function mountRoutes(api: FastifyInstance, deps: Deps, routes: readonly Route[]): Promise<void> {
  const authenticateRequest = createRequestAuthenticator(deps)
  // A line validates by itself (`route()`), so that its handler's types follow from its schemas.
  api.setValidatorCompiler(() => (value: unknown) => ({ value }))
  api.setSerializerCompiler(serializerCompiler)
  api.removeAllContentTypeParsers()
  api.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) =>
    request.routeOptions.schema?.body === undefined ? undefined : parseJson(bytes),
  )

  for (const route of routes) {
    const hasBodySchema = route.body !== NoBody
    api.route({
      method: route.method,
      url: route.path,
      schema: {
        operationId: route.operationId,
        summary: route.summary,
        ...(route.description !== undefined && { description: route.description }),
        tags: [route.tag],
        security: [{ apiKey: [] }, { oauth2: route.scopes }],
        querystring: route.query,
        ...(hasBodySchema && { body: route.body }),
        response: Object.fromEntries(Object.entries(route.responses).filter(([, schema]) => schema !== null)),
      },
      onRequest: async (request, reply) => {
        const caller = await authenticateRequest(request, reply)
        requireScopes(caller, route.scopes)
        if (hasBodySchema && hasBody(request)) requireJson(request.headers)
      },
      handler: async (request, reply) => {
        if (request.caller === null) throw new Error('the gate let nobody in')
        const response = await route.handle({
          caller: request.caller,
          query: request.query,
          body: hasBodySchema ? getBody(request) : undefined,
          id: getPathId(request),
          idempotencyKey: getHeader(request, 'idempotency-key'),
        })
        return sendResponse(reply, response)
      },
    })
  }
}

/** Without a body the parser is not asked, and an absent body must not pass for `null`. */
const getBody = (request: FastifyRequest): unknown =>
  hasBody(request) ? request.body : parseJson(Buffer.alloc(0))

/** NaN where the path has no id: only lines with `:id` look at it. */
function getPathId({ params }: FastifyRequest): number {
  const value = typeof params === 'object' && params !== null && 'id' in params ? params.id : undefined
  return typeof value === 'string' ? parsePathId(value) : NaN
}

function getHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const sendResponse = (reply: FastifyReply, { status, body, headers = {} }: RouteResponse) =>
  reply.code(status).headers(headers).send(body)

/**
 * Reads the id in a path. What is no id names nothing: text, zero, and integers that no number holds.
 *
 * @throws {ApiError} not_found
 */
export function parsePathId(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN
  if (!Number.isSafeInteger(id)) throw notFound('There is nothing with this id in this workspace.')
  return id
}

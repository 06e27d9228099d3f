import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import type { Deps } from '../deps.ts'
import { ApiError, describeError } from '../platform/core/errors.ts'
import { defaultMaxValues } from '../platform/core/validate.ts'
import type { Db } from '../platform/db/schema.ts'
import { scopeToWorkspace } from '../platform/db/workspace-scope.ts'
import { hasBody, parseJson, requireJson } from '../platform/http/read-body.ts'
import { respondOnce } from '../platform/idempotency/idempotency.ts'
import { createContactAdder } from '../queue/contacts/contact-adder.ts'
import { type ApiLog, createApiLog, toLoggedRequest } from './api-log.ts'
import { createRequestAuthenticator, requireScopes } from './authenticate-request.ts'
import { NoRequestBody, type Route, type RouteResponse } from './define-route.ts'

/**
 * Mounts the routes. Each route authenticates the request, reads the body, honors `Idempotency-Key` if it's declared
 * idempotent, sees only the rows of the caller's workspace, and sends only what its response schema allows.
 *
 * @param log null in a benchmark that measures what the log costs
 */
export async function mountRoutes(
  api: FastifyInstance,
  deps: Deps,
  routes: readonly Route[],
  log: ApiLog | null = createApiLog(deps),
): Promise<void> {
  const authenticator = createRequestAuthenticator(deps)
  const routeDeps = { ...deps, addContact: createContactAdder(deps) }
  const baseUrl = `${deps.config.publicUrl}${api.prefix}`
  // Fastify doesn't validate, because `defineRoute` does, so that the types of a handler follow from its schemas.
  api.setValidatorCompiler(() => (value: unknown) => ({ value }))
  api.setSerializerCompiler(serializerCompiler)
  api.removeAllContentTypeParsers()
  api.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) =>
    request.routeOptions.schema?.body === undefined ? undefined : parseJson(bytes, defaultMaxValues),
  )

  api.decorateRequest('loggedResponse', null)
  api.decorateRequest('credential', null)
  // Confirms the credential first, so that a caller whose credential was revoked learns only that.
  api.setErrorHandler(async (error, request) => {
    // An overloaded service must not also look up a credential for each error.
    const isOverload = error instanceof ApiError && ['unavailable', 'rate_limited'].includes(error.code)
    await authenticator.confirm(request, { always: hasBody(request) && !isOverload })
    throw error
  })
  if (log !== null) recordRequests(api, deps.clock, log)

  for (const route of routes) {
    const hasBodySchema = route.body !== NoRequestBody
    api.route({
      method: route.method,
      url: route.path,
      config: { requiresBearer: true },
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
        const caller = await authenticator.authenticate(request, reply, {
          mayRecall: route.method === 'GET',
        })
        requireScopes(caller, route.scopes)
        if (hasBodySchema && hasBody(request)) requireJson(request.headers)
      },
      handler: async (request, reply) => {
        const { credential } = request
        if (credential === null) throw new Error('invariant: request has no credential')
        const { caller, tokenHash } = credential
        const body = hasBodySchema ? getBody(request) : undefined
        const scoped = {
          ...scopeToWorkspace(routeDeps, caller.workspaceId),
          ...(route.method !== 'GET' && {
            confirmRights: (tx: Db) => authenticator.confirm(request, { always: true, tx }),
          }),
        }
        const respond = async () => {
          const { key, run } = route.prepare({
            caller,
            tokenHash,
            query: request.query,
            body,
            id: getPathId(request),
            idempotencyKey: getHeader(request, 'idempotency-key'),
            baseUrl,
          })
          const response =
            route.idempotent === true
              ? await respondOnce(scoped, caller.workspaceId, key, run)
              : await run(scoped)
          return { key, response }
        }
        const responding = respond().catch(async (error: unknown) => {
          if (error instanceof ApiError && [404, 422].includes(error.status))
            await route.ifRejected(scoped, { caller, body })
          throw error
        })
        // A read runs while a remembered credential is confirmed, but the response waits for both.
        const [{ key, response }] = await Promise.all([responding, authenticator.confirm(request)])
        const { replayed = false } = response
        request.loggedResponse = {
          created: route.created(response.body),
          idempotency: key === null ? null : replayed ? 'replayed' : 'first',
        }
        if (replayed) reply.header('Idempotent-Replayed', 'true')
        return sendResponse(reply, response)
      },
    })
  }
}

function recordRequests(api: FastifyInstance, clock: Deps['clock'], log: ApiLog): void {
  // Uses `onSend`, because `onResponse` isn't called if the client has disconnected, although the request may have taken
  // effect.
  api.addHook('onSend', (request, reply, _payload, done) => {
    const { caller } = request
    try {
      // Without a valid credential, a request belongs to no workspace.
      if (caller !== null)
        log.record(toLoggedRequest(request, reply, { caller, prefix: api.prefix, now: clock.now() }))
    } catch (error) {
      // The work is done, so the client must get its response.
      request.log.error({ error: describeError(error) }, 'failed to add a request to the API log')
    }
    done()
  })
  api.addHook('onClose', () => log.close())
}

/** Returns the body. Fastify doesn't pass a missing body to the parser, so this rejects it like an empty one. */
const getBody = (request: FastifyRequest): unknown =>
  hasBody(request) ? request.body : parseJson(Buffer.alloc(0))

function getPathId({ params }: FastifyRequest): string | undefined {
  const id = typeof params === 'object' && params !== null && 'id' in params ? params.id : undefined
  return typeof id === 'string' ? id : undefined
}

function getHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const sendResponse = (reply: FastifyReply, { status, body }: RouteResponse) => reply.code(status).send(body)

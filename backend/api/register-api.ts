import swagger from '@fastify/swagger'
import Fastify, { type FastifyInstance } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Deps } from '../deps.ts'
import { registerScope } from '../platform/http/register-scope.ts'
import { pageHeaders } from '../platform/views/page-headers.ts'
import { mountRoutes } from './mount-routes.ts'
import { completeDocument } from './openapi/complete-document.ts'
import { documentFrame } from './openapi/document-frame.ts'
import { readDocument } from './reference/read-document.ts'
import { referencePage } from './reference/reference-page.ts'
import { apiPrefix, routes } from './routes.ts'

/** Mounts the public API, its OpenAPI 3.1 document, and the API reference at `/docs`. */
export async function registerApi(app: FastifyInstance, deps: Deps): Promise<void> {
  await registerScope(app, 'api', async (scope) => {
    await scope.register(swagger, {
      openapi: documentFrame(deps.config),
      transform: jsonSchemaTransform,
      transformObject: (input) =>
        completeDocument(requireOpenApi31(jsonSchemaTransformObject(input)), routes, apiPrefix),
    })
    const documentUrl = `${apiPrefix}/openapi.json`
    const readApi = () => requireOpenApi31(scope.swagger())
    // The document and the page are prepared once, because turning the document into text takes milliseconds.
    const document = once(() => Buffer.from(JSON.stringify(readApi())))
    const page = once(() => Buffer.from(String(referencePage(readDocument(readApi()), documentUrl))))
    await registerScope(scope, 'routes', (api) => mountRoutes(api, deps, routes), { prefix: apiPrefix })
    scope.get(documentUrl, { schema: { hide: true } }, (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(document()),
    )
    scope.get('/docs', { schema: { hide: true } }, (_request, reply) =>
      reply.headers(pageHeaders({ scripts: true })).send(page()),
    )
  })
}

/** Returns a function that computes its value on the first call, and then returns the same value. */
function once<Value>(compute: () => Value): () => Value {
  let value: { is: Value } | undefined
  return () => (value ??= { is: compute() }).is
}

/** Narrows the type: the transform supports every version of OpenAPI, and `documentFrame` sets 3.1. */
function requireOpenApi31(document: object): Partial<OpenAPIV3_1.Document> {
  if (isOpenApi31(document)) return document
  throw new Error('invariant: the document is not OpenAPI 3.1')
}

const isOpenApi31 = (document: object): document is Partial<OpenAPIV3_1.Document> =>
  'openapi' in document && document.openapi === '3.1.0'

/** Returns the OpenAPI document as it's served. Doesn't query the database. */
export async function generateApiDocument(deps: Deps): Promise<object> {
  const app = Fastify()
  app.decorateRequest('caller', null)
  await registerApi(app, deps)
  const response = await app.inject(`${apiPrefix}/openapi.json`)
  await app.close()
  return response.json<object>()
}

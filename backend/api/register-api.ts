import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Deps } from '../deps.ts'
import { registerScope } from '../platform/http/register-scope.ts'
import { mountRoutes } from './mount-routes.ts'
import { completeDocument } from './openapi/complete-document.ts'
import { documentFrame } from './openapi/document-frame.ts'
import { apiPrefix, routes } from './routes.ts'

/** Swagger UI loads its own scripts and styles, and uses inline styles and icons in data URLs. */
const docsContentSecurityPolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; frame-ancestors 'none'"

/** Mounts the public API, its OpenAPI 3.1 document, and the API reference at `/docs`. */
export async function registerApi(app: FastifyInstance, deps: Deps): Promise<void> {
  await registerScope(app, 'api', async (scope) => {
    await scope.register(swagger, {
      openapi: documentFrame(deps.config),
      transform: jsonSchemaTransform,
      transformObject: (input) =>
        completeDocument(requireOpenApi31(jsonSchemaTransformObject(input)), routes, apiPrefix),
    })
    // Prepared once, because turning it into text takes milliseconds.
    let document: Buffer | undefined
    const sendDocument = (_request: FastifyRequest, reply: FastifyReply) => {
      document ??= Buffer.from(JSON.stringify(scope.swagger()))
      void reply.type('application/json; charset=utf-8').send(document)
    }
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      uiHooks: {
        // Swagger UI's own handler would turn it into text for each request.
        preHandler: (request, reply, done) => {
          if (request.routeOptions.url === '/docs/json') sendDocument(request, reply)
          else done()
        },
      },
      theme: { title: 'Outdial API' },
      uiConfig: { layout: 'BaseLayout', validatorUrl: null, deepLinking: true },
      staticCSP: docsContentSecurityPolicy,
    })
    await registerScope(scope, 'routes', (api) => mountRoutes(api, deps, routes), { prefix: apiPrefix })
    scope.get(`${apiPrefix}/openapi.json`, { schema: { hide: true } }, sendDocument)
  })
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

import {
  CallState,
  ReportAccepted,
  RuntimeAnalysis,
  RuntimeDialRequest,
  RuntimeReport,
  TranscriptTurn,
} from '@outdial/contract'
import type { OpenAPIV3_1 } from 'openapi-types'
import * as z from 'zod'
import { exampleDialRequest, exampleReports, exampleState } from './runtime-examples.ts'

const runtimeDescription = `
What an agent runtime does so that Outdial makes its calls there (\`TELEPHONY=http\`), and where it reports on them.
The page runtime.md, beside this document, says the same in sentences.
`.trim()

type Operation = NonNullable<OpenAPIV3_1.PathItemObject['post']>

/** The document of `docs/runtime.openapi.json`: the runtime's side, and our endpoint as its callback. */
export const runtimeDocument = (): object => ({
  openapi: '3.1.0',
  info: { title: 'Outdial: agent runtimes', version: '1.0.0', description: runtimeDescription },
  servers: [{ url: '{RUNTIME_URL}', variables: { RUNTIME_URL: { default: 'https://runtime.example.com' } } }],
  security: [{ signature: [] }],
  paths: {
    '/calls': { post: placeCallOperation },
    '/calls/{attempt_id}': {
      parameters: [attemptIdParameter],
      get: getCallStateOperation,
      delete: hangUpOperation,
    },
  },
  components: {
    securitySchemes: {
      signature: {
        type: 'apiKey',
        in: 'header',
        name: 'webhook-signature',
        description:
          'Standard Webhooks 1.0, with webhook-id and webhook-timestamp. The key is the bytes of the runtime secret; what is signed is the body, or "METHOD /path" where there is none. A signature for each secret that is valid.',
      },
      runtimeSecret: { type: 'http', scheme: 'bearer', description: 'The runtime secret' },
    },
    schemas: { ...runtimeSchemas(), Error: errorSchema },
  },
})

const jsonContent = (schema: string, examples: Record<string, unknown>) => ({
  'application/json': {
    schema: { $ref: `#/components/schemas/${schema}` },
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  },
})

const attemptIdParameter: OpenAPIV3_1.ParameterObject = {
  name: 'attempt_id',
  in: 'path',
  required: true,
  schema: { type: 'string', format: 'uuid' },
}

const reportOperation: Operation = {
  operationId: 'report',
  summary: 'Tell what has become of the attempt',
  description:
    'To reports_url. Repeat it until it is answered 200, 404, 409 or 422; a repeat changes nothing, and the order does not matter.',
  security: [{ runtimeSecret: [] }],
  requestBody: { required: true, content: jsonContent('RuntimeReport', exampleReports) },
  responses: {
    200: {
      description: 'Taken, now or before',
      content: jsonContent('ReportTaken', {
        taken: { attempt_id: exampleDialRequest.attempt_id, sequence: 2 },
      }),
    },
    400: errorResponse('The body is not JSON'),
    401: errorResponse('The secret is missing, or none of this service'),
    404: errorResponse('There is no such attempt'),
    409: errorResponse('The attempt has ended: nothing more is taken for it'),
    413: errorResponse('The body is over 1 MiB'),
    415: errorResponse('The body is not said to be JSON in UTF-8'),
    422: errorResponse('A field cannot be accepted: each is named'),
    503: errorResponse('The service is away for a moment: try again'),
  },
}

const placeCallOperation: Operation = {
  operationId: 'placeCall',
  summary: 'Make a call',
  parameters: [
    { name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string', format: 'uuid' } },
  ],
  requestBody: { required: true, content: jsonContent('CallOrder', { order: exampleDialRequest }) },
  responses: {
    200: { description: 'The call is known already: it rings once' },
    202: { description: 'It will ring' },
    '4XX': { description: 'It will not ring: the attempt fails' },
    '5XX': { description: 'Unclear: Outdial asks whether the call is known' },
  },
  callbacks: { report: { '{$request.body#/reports_url}': { post: reportOperation } } },
}

const getCallStateOperation: Operation = {
  operationId: 'askForCall',
  summary: 'Tell every report so far',
  responses: {
    200: { description: 'The call is known', content: jsonContent('CallState', { state: exampleState }) },
    404: { description: 'It is not known, and never will be: an order that comes later is refused' },
  },
}

const hangUpOperation: Operation = {
  operationId: 'hangUp',
  summary: 'Hang up',
  description: 'The end is reported as ever.',
  responses: {
    204: { description: 'Nobody is on the line any more' },
    404: { description: 'It is not known, and never will be' },
  },
}

function errorResponse(description: string) {
  const schema = { $ref: '#/components/schemas/Error' }
  return { description, content: { 'application/json': { schema } } }
}

/** The one shape of errors. */
const errorSchema: OpenAPIV3_1.SchemaObject = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['type', 'code', 'message', 'details', 'request_id'],
      properties: {
        type: { type: 'string' },
        code: { type: 'string', examples: ['validation_failed', 'attempt_ended'] },
        message: { type: 'string' },
        details: {
          type: 'array',
          items: {
            type: 'object',
            properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
          },
        },
        request_id: { type: 'string' },
      },
    },
  },
}

function runtimeSchemas(): Record<string, object> {
  const registry = z.registry<{ id: string }>()
  const named = {
    CallOrder: RuntimeDialRequest,
    CallState,
    ReportTaken: ReportAccepted,
    RuntimeAnalysis,
    RuntimeReport,
    TranscriptLine: TranscriptTurn,
  }
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}`, io: 'input' })
  // Their address in the document is their id.
  const isPartOfSchema = ([key]: [string, unknown]) => key !== '$schema' && key !== '$id'
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [
      id,
      Object.fromEntries(Object.entries(schema).filter(isPartOfSchema)),
    ]),
  )
}

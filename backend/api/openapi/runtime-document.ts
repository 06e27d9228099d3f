import {
  AgentResult,
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
The endpoints that an agent runtime provides for Outdial (\`TELEPHONY=http\`), and Outdial's endpoint for its reports.
The guide is runtime.md, in the same folder.
`.trim()

type Operation = NonNullable<OpenAPIV3_1.PathItemObject['post']>

/** Builds docs/reference/runtime.openapi.json: the runtime's endpoints, and, as a callback, Outdial's endpoint for reports. */
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
          'Standard Webhooks 1.0, with webhook-id and webhook-timestamp. The key is RUNTIME_SIGNING_KEY. The signature covers the body, or "METHOD /path" for a request without a body. There is one signature for each valid key.',
      },
      attemptToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'The attempt_token of the dial request. Also valid: the runtime secret.',
      },
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
  summary: 'Report on an attempt',
  description:
    'Send each report to reports_url. If there is no response, or if the status is 429 or 5xx, send the report again. Repeated reports change nothing, and reports can arrive in any order.',
  security: [{ attemptToken: [] }],
  requestBody: { required: true, content: jsonContent('RuntimeReport', exampleReports) },
  responses: {
    200: {
      description: 'The report is saved',
      content: jsonContent('ReportTaken', {
        taken: { attempt_id: exampleDialRequest.attempt_id, sequence: 2 },
      }),
    },
    400: errorResponse('The body is not valid JSON'),
    401: errorResponse('The attempt token is missing, invalid, or expired'),
    404: errorResponse('Attempt not found'),
    409: errorResponse('The attempt has already ended'),
    413: errorResponse('The body is larger than 4 MiB'),
    415: errorResponse('The Content-Type is not application/json with UTF-8'),
    422: errorResponse('Invalid fields: the error names each of them'),
    503: errorResponse('Temporarily unavailable: send the report again'),
  },
}

const placeCallOperation: Operation = {
  operationId: 'placeCall',
  summary: 'Place a call',
  parameters: [
    { name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string', format: 'uuid' } },
  ],
  requestBody: { required: true, content: jsonContent('CallOrder', { order: exampleDialRequest }) },
  responses: {
    200: { description: 'The call was requested before. It is placed only once.' },
    202: { description: 'The call will be placed' },
    '4XX': { description: 'The call will not be placed: the attempt fails' },
    '5XX': {
      description: 'Outdial does not know whether the call was placed, so it requests the state of the call',
    },
  },
  callbacks: { report: { '{$request.body#/reports_url}': { post: reportOperation } } },
}

const getCallStateOperation: Operation = {
  operationId: 'askForCall',
  summary: 'Return all reports so far',
  responses: {
    200: { description: 'The call exists', content: jsonContent('CallState', { state: exampleState }) },
    404: { description: 'The call does not exist. A later request to place it must be rejected.' },
  },
}

const hangUpOperation: Operation = {
  operationId: 'hangUp',
  summary: 'Hang up',
  description: 'Report the end of the call as usual.',
  responses: {
    204: { description: 'The call is over' },
    404: { description: 'The call does not exist, and will not be placed later' },
  },
}

function errorResponse(description: string) {
  const schema = { $ref: '#/components/schemas/Error' }
  return { description, content: { 'application/json': { schema } } }
}

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
    AgentResult,
    CallOrder: RuntimeDialRequest,
    CallState,
    ReportTaken: ReportAccepted,
    RuntimeAnalysis,
    RuntimeReport,
    TranscriptLine: TranscriptTurn,
  }
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}`, io: 'input' })
  // Omits `$id`, because a schema's path in the document identifies it.
  const isPartOfSchema = ([key]: [string, unknown]) => key !== '$schema' && key !== '$id'
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [
      id,
      Object.fromEntries(Object.entries(schema).filter(isPartOfSchema)),
    ]),
  )
}

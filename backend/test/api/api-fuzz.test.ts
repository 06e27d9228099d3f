import { beforeAll, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { LightMyRequestResponse } from 'fastify'
import { routes } from '../../api/routes.ts'
import { type DescribedOperation, type ParsedDocument, parseDocument } from '../support/openapi-document.ts'
import {
  anyCharacter,
  arbitraryFor,
  corruptedBody,
  type KnownValues,
  withKnownValues,
} from '../support/schema-arbitraries.ts'
import { apiPrefix, useApiWorld } from '../support/test-api.ts'

/** The seed of the random requests. Set FUZZ_SEED to repeat a run. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
const runs = Number(process.env.FUZZ_RUNS ?? 40)

const api = useApiWorld()
let document: ParsedDocument
let known: KnownValues
beforeAll(async () => {
  document = parseDocument((await api.app.inject(`${apiPrefix}/openapi.json`)).json())
  known = {
    id: ['1', '2', '3'],
    campaign_id: [api.seed.campaignId],
    agent_id: [api.seed.agentId],
    phone_number_id: [api.seed.phoneNumberId],
    phone_number: ['+12025550100', '202-555-0101', '+442079460018'],
    country: ['US', 'GB', null],
    time_zone: ['Europe/Berlin', null],
    scheduled_at: ['2026-05-05T00:00:00Z', null],
    callback_url: ['https://example.com/done', null],
    email: ['someone@example.com', null],
  }
})

interface RequestInput {
  path: string
  query: string
  headers: Record<string, string>
  body: unknown
}

/** Returns an arbitrary that generates requests to an operation: only valid requests, or also corrupted ones. */
function requestArbitrary(operation: DescribedOperation, valid: boolean): fc.Arbitrary<RequestInput> {
  const parametersIn = (location: string) =>
    operation.parameters.filter((parameter) => parameter.in === location)
  const values = (location: string) =>
    fc.record(
      Object.fromEntries(
        parametersIn(location).map(({ name, schema }) => {
          const accepted = withKnownValues(arbitraryFor(document, schema, known), known[name])
          return [
            name,
            valid ? accepted : fc.oneof(accepted, fc.string({ unit: anyCharacter, maxLength: 30 })),
          ]
        }),
      ),
      {
        requiredKeys: parametersIn(location).flatMap(({ name, required }) =>
          required === true ? [name] : [],
        ),
      },
    )
  const schema = operation.requestBody?.content['application/json'].schema
  const body = schema === undefined ? fc.constant(undefined) : arbitraryFor(document, schema, known)
  const extra = valid ? fc.constant({}) : fc.dictionary(fc.string(), fc.string(), { maxKeys: 1 })
  return fc.record({
    path: values('path').map(({ id }) =>
      operation.path.slice(apiPrefix.length).replace('{id}', encodeURIComponent(String(id))),
    ),
    query: fc.tuple(values('query'), extra).map(([named, other]) => queryString({ ...named, ...other })),
    headers: values('header').map((headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerText(String(value))])),
    ),
    body: valid || schema === undefined ? body : corruptedBody(body),
  })
}

function queryString(values: Record<string, unknown>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as unknown[]) : [value]).map((candidate): [string, string] => [
      name,
      String(candidate),
    ]),
  )
  return new URLSearchParams(pairs).toString()
}

/** Removes the characters that Node's parser rejects in a header. */
const headerText = (text: string): string => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '')

const sendRequest = async ({ method }: DescribedOperation, { path, query, headers, body }: RequestInput) => {
  api.deps.clock.advance(200) // within the rate limit
  return api.send({ method, path: query === '' ? path : `${path}?${query}`, headers, body })
}

/** Checks a response against the document's description of the operation. */
function expectDocumentedResponse(operation: DescribedOperation, response: LightMyRequestResponse): void {
  expect(response.statusCode).toBeLessThan(500)
  const described = operation.responses[String(response.statusCode)]
  if (described === undefined) throw new Error(`${response.statusCode} is not described: ${response.body}`)
  expect(response.headers['x-request-id']).toBeDefined()
  const schema = described.content?.['application/json'].schema
  if (schema === undefined) {
    expect(response.body).toBe('')
    return
  }
  const accepts = document.validatorFor(schema)
  accepts(response.json())
  expect(accepts.errors).toBeNull()
}

const operationIds = routes.map(({ operationId }) => operationId)

const findOperation = (operationId: string): DescribedOperation => {
  const operation = document.operations.find((candidate) => candidate.operationId === operationId)
  if (operation === undefined) throw new Error(`${operationId} is not in the document`)
  return operation
}

it('these tests cover every operation in the OpenAPI document', () => {
  expect(document.operations.map(({ operationId }) => operationId).sort()).toEqual(operationIds.toSorted())
})

it.each(operationIds)(
  `returns documented responses for any input: %s (FUZZ_SEED=${seed})`,
  async (operationId) => {
    const operation = findOperation(operationId)
    const body = operation.requestBody?.content['application/json'].schema
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(requestArbitrary(operation, true), requestArbitrary(operation, false)),
        async (input) => {
          const response = await sendRequest(operation, input)
          expectDocumentedResponse(operation, response)
          if (body !== undefined && isRejectedBy(body, input.body))
            expect(response.statusCode).toBeGreaterThanOrEqual(400)
        },
      ),
      { seed, numRuns: runs },
    )
  },
)

/**
 * Returns true if a body doesn't match the schema in a way that the API must reject. Skips bodies with empty texts, which the
 * API treats as absent. Ignores errors of `format` and `anyOf`, because the API accepts some values that these keywords
 * reject, such as some URLs.
 */
function isRejectedBy(schema: Record<string, unknown>, body: unknown): boolean {
  if (body === undefined || JSON.stringify(body).includes('""')) return false
  const accepts = document.validatorFor(schema)
  accepts(body)
  return (accepts.errors ?? []).some((error) => error.keyword !== 'format' && error.keyword !== 'anyOf')
}

it(`accepts a request generated from the OpenAPI document for every operation (FUZZ_SEED=${seed})`, async () => {
  for (const operationId of operationIds) {
    const operation = findOperation(operationId)
    if (operationId === 'unsubscribeWebhook') known = { ...known, id: await subscriptionIds() }
    const attempts = fc.sample(requestArbitrary(operation, true), { seed, numRuns: 200 })
    let succeeded = false
    for (const input of attempts) {
      const response = await sendRequest(operation, input)
      expectDocumentedResponse(operation, response)
      succeeded = response.statusCode < 300
      if (succeeded) break
    }
    expect([operationId, succeeded]).toEqual([operationId, true])
  }
})

async function subscriptionIds(): Promise<string[]> {
  const rows = await api.deps.db.selectFrom('webhook_subscription').select('id').execute()
  return rows.map(({ id }) => String(id))
}

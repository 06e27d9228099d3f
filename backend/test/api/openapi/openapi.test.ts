import { readFile } from 'node:fs/promises'
import { beforeAll, expect, it } from '@jest/globals'
import { CallCompletedEvent } from '@outdial/contract'
import * as z from 'zod'
import { generateApiDocument } from '../../../api/register-api.ts'
import { routes } from '../../../api/routes.ts'
import { parseConfig } from '../../../config.ts'
import { type ParsedDocument, parseDocument } from '../../support/openapi-document.ts'
import { apiPrefix, useApiWorld } from '../../support/test-api.ts'

let read: ParsedDocument
const api = useApiWorld()
beforeAll(async () => {
  read = parseDocument((await api.app.inject(`${apiPrefix}/openapi.json`)).json())
})

it('matches contract/openapi.json (if this fails, run npm run generate)', async () => {
  const file = new URL('../../../../contract/openapi.json', import.meta.url)
  const snapshot: unknown = JSON.parse(await readFile(file, 'utf8'))
  expect(await generateApiDocument({ ...api.deps, config: parseConfig({}) })).toEqual(snapshot)
})

it('describes every operation of the API', () => {
  const described = read.operations.map(({ method, path }) => `${method} ${path}`)
  const served = routes.map(({ method, path }) => `${method} ${apiPrefix}${path.replace(':id', '{id}')}`)
  expect(described.sort()).toEqual(served.sort())
})

it("doesn't limit the length of texts in responses and events, because the limits of inputs can change", () => {
  const schemas = [CallCompletedEvent, ...routes.flatMap(({ responses }) => Object.values(responses))]
  const limited = schemas.filter(
    (schema) => schema && JSON.stringify(z.toJSONSchema(schema, { io: 'output' })).includes('"maxLength"'),
  )
  expect(limited.map((schema) => schema?.meta()?.id)).toEqual([])
})

it('has examples that match their schemas', () => {
  const contents = [
    ['call.completed', read.document.webhooks['call.completed'].post.requestBody.content] as const,
    ...read.operations.flatMap(({ operationId, requestBody, responses }) => [
      [`body of ${operationId}`, requestBody?.content] as const,
      ...Object.entries(responses).map(
        ([status, { content }]) => [`response ${status} of ${operationId}`, content] as const,
      ),
    ]),
  ]
  const wrong = contents.flatMap(([name, content]) => {
    if (content === undefined) return []
    const { schema, example, examples } = content['application/json']
    const all = examples ? Object.values(examples).map(({ value }) => value) : [example]
    const judge = read.validatorFor(schema)
    return all.flatMap((one) => {
      if (one === undefined) return `${name}: no example`
      return judge(one) ? [] : `${name}: ${JSON.stringify(judge.errors)}`
    })
  })
  expect(wrong).toEqual([])
})

it('has an example for every path parameter, a description for every tag, and a license', () => {
  const ids = read.operations.flatMap(({ parameters }) => parameters.filter((one) => one.in === 'path'))
  expect(ids).toHaveLength(2)
  for (const { schema, example } of ids) {
    const judge = read.validatorFor(schema)
    judge(example)
    expect(judge.errors).toBeNull()
  }
  const described = read.document.tags.filter(({ description }) => description !== '')
  const used = read.operations.flatMap(({ tags }) => tags)
  expect(described.map(({ name }) => name)).toEqual(expect.arrayContaining(used))
  expect(read.document.info.license).toEqual({ name: 'MIT License', identifier: 'MIT' })
})

it('says how to verify the signature of a webhook', () => {
  const { description } = read.document.webhooks['call.completed'].post
  for (const word of ['Standard Webhooks', 'libraries', 'whsec_', 'Base64-decode', 'spaces', '5 minutes'])
    expect(description).toContain(word)
})

it('describes the errors of every operation, and the X-Request-Id header of every response', () => {
  for (const { method, responses } of read.operations) {
    const statuses = Object.keys(responses)
    const always = ['401', '403', '422', '429', '500', '503']
    expect(statuses).toEqual(
      expect.arrayContaining(method === 'POST' ? [...always, '400', '413', '415'] : always),
    )
    for (const { headers } of Object.values(responses)) expect(headers).toHaveProperty('X-Request-Id')
  }
})

it('is shown on a documentation page that loads nothing from other sites', async () => {
  const page = await api.app.inject('/docs')
  expect(page.statusCode).toBe(200)
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  const sources = [...page.body.matchAll(/<(?:link|script|img)[^>]* (?:src|href)="([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  )
  expect(sources.length).toBeGreaterThan(3)
  for (const source of sources) {
    expect((await api.app.inject(source)).statusCode).toBe(200)
  }
})

// cspell:ignore nmae serach
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import { ErrorResponse } from '@outdial/contract'
import pino from 'pino'
import { createApp } from '../../app.ts'
import { describeError } from '../../platform/core/errors.ts'
import { seedAgent, seedPhoneNumber } from '../support/factories.ts'
import { apiPrefix, parseError, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const newCampaign = (values: object = {}) => ({
  name: 'Spring',
  agent_id: api.seed.agentId,
  phone_number_id: api.seed.phoneNumberId,
  ...values,
})

describe('when the API reads the body', () => {
  it.each([
    ['an empty body', ''],
    ['a truncated body', '{"name":'],
    ['a body with a byte order mark', '\uFEFF{}'],
    ["bytes that aren't UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('rejects %s as malformed JSON', async (_name, raw) => {
    const response = await api.send({ method: 'POST', path: '/campaigns/', raw })
    expect(parseError(response)).toMatchObject({
      status: 400,
      type: 'invalid_request',
      code: 'malformed_json',
    })
  })

  it('rejects a request without a body as malformed JSON', async () => {
    const response = await api.send({ method: 'POST', path: '/campaigns/' })
    expect(parseError(response)).toMatchObject({ status: 400, code: 'malformed_json' })
  })

  it('rejects a compressed body', async () => {
    const headers = { 'content-encoding': 'gzip' }
    const response = await api.send({ method: 'POST', path: '/campaigns/', raw: gzipSync('{}'), headers })
    expect(parseError(response)).toMatchObject({ status: 415, code: 'unsupported_media_type' })
  })

  it('rejects a body over 1 MiB', async () => {
    const response = await api.send({
      method: 'POST',
      path: '/contacts/',
      raw: `"${'x'.repeat(1024 * 1024)}"`,
    })
    expect(parseError(response)).toMatchObject({
      status: 413,
      type: 'invalid_request',
      code: 'body_too_large',
    })
  })

  const names = Array.from({ length: 2_001 }, (_, index) => `name_${index}`)
  it.each([
    ['names with wrong values', { variables: Object.fromEntries(names.map((name) => [name, 1])) }],
    ['names with values', { variables: Object.fromEntries(names.map((name) => [name, 'x'])) }],
    ['unknown fields', Object.fromEntries(names.map((name) => [name, 'x']))],
    ['empty lists', { variables: names.map(() => []) }],
    ['lists in lists', { variables: names.reduce<unknown>((list) => [list], []) }],
  ])('rejects a body with too many values before validating them: %s', async (_, body) => {
    const response = await api.send({ method: 'POST', path: '/contacts/', body })
    expect(parseError(response)).toMatchObject({
      status: 422,
      code: 'validation_failed',
      details: [
        { field: '', code: 'too_big', message: 'The request body is too large. Use at most 2,000 values.' },
      ],
    })
  })

  it('counts the values of a body before parsing it', async () => {
    const send = (raw: string) => api.send({ method: 'POST', path: '/contacts/', raw })
    expect(parseError(await send('['.repeat(2_000)))).toMatchObject({ status: 400, code: 'malformed_json' })
    const { status, details } = parseError(await send('['.repeat(2_001)))
    expect([status, details.map(({ code }) => code)]).toEqual([422, ['too_big']])
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonp',
    'nonsense',
  ])('rejects a body with the content type %s', async (type) => {
    const response = await api.send({
      method: 'POST',
      path: '/campaigns/',
      raw: '{}',
      headers: { 'content-type': type },
    })
    expect(parseError(response)).toMatchObject({ status: 415, code: 'unsupported_media_type' })
  })

  it.each(['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'accepts a body with the content type %s',
    async (type) => {
      const body = newCampaign()
      const response = await api.send({
        method: 'POST',
        path: '/campaigns/',
        body,
        headers: { 'content-type': type },
      })
      expect(response.statusCode).toBe(201)
    },
  )

  it.each<Record<string, string>>([
    {},
    { 'content-type': 'application/json' },
    { 'content-type': 'text/plain' },
  ])('ignores the content type if there is no body: %j', async (headers) => {
    expect((await api.send({ path: '/agents/', headers })).statusCode).toBe(200)
    const gone = await api.send({ method: 'DELETE', path: '/webhooks/99/', headers })
    expect(parseError(gone)).toMatchObject({ status: 404 })
  })
})

describe('when the API validates fields', () => {
  it.each([[[]], [null], ['text'], [7], [true]])(
    'rejects the body %j with a validation error',
    async (body) => {
      const response = await api.send({ method: 'POST', path: '/contacts/', body })
      expect(parseError(response)).toMatchObject({
        status: 422,
        type: 'invalid_request',
        code: 'validation_failed',
      })
    },
  )

  it('lists every invalid field with its issue', async () => {
    const response = await api.send({
      method: 'POST',
      path: '/campaigns/',
      body: {
        name: 'x'.repeat(201),
        phone_number_id: 1e300,
        time_zone: 'Mars/Olympus',
        calling_hours: { days: ['someday'], begin: '09:00' },
        max_concurrent_calls: 0,
        retry: { max_attempts: '3' },
        typo: 1,
      },
    })
    const { status, code, details } = parseError(response)
    expect([status, code]).toEqual([422, 'validation_failed'])
    expect(details.map((detail) => [detail.field, detail.code]).sort()).toEqual([
      ['agent_id', 'required'],
      ['calling_hours.begin', 'unknown_field'],
      ['calling_hours.days.0', 'invalid_value'],
      ['max_concurrent_calls', 'too_small'],
      ['name', 'too_long'],
      ['phone_number_id', 'too_big'],
      ['retry.max_attempts', 'invalid_type'],
      ['time_zone', 'invalid_time_zone'],
      ['typo', 'unknown_field'],
    ])
  })

  it('reports unknown fields, including nested ones, with their own error code', async () => {
    const raw = JSON.stringify(newCampaign({ retry: { tries: 1 }, nmae: 'x' })).replace(
      '{',
      '{"__proto__":{"a":1},',
    )
    const { status, code, details } = parseError(await api.send({ method: 'POST', path: '/campaigns/', raw }))
    expect([status, code]).toEqual([422, 'unknown_field'])
    expect(details.map((detail) => detail.field).sort()).toEqual(['__proto__', 'nmae', 'retry.tries'])
  })

  it.each(['/agents/?serach=Ava', '/calls/1/?expand=contact'])(
    'rejects the unknown parameter in %s',
    async (path) => {
      expect(parseError(await api.send({ path }))).toMatchObject({ status: 422, code: 'unknown_field' })
    },
  )

  it('uses the last value of a duplicate field, like JSON.parse', async () => {
    const raw = JSON.stringify(newCampaign()).replace('{', '{"name":7,')
    expect((await api.send({ method: 'POST', path: '/campaigns/', raw })).statusCode).toBe(201)
  })

  it.each([
    ['deep nesting', `{"variables":${'['.repeat(1_000)}${']'.repeat(1_000)}}`, 'too_deep'],
    [
      'nesting that would exhaust the stack',
      `{"variables":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
      'too_big',
    ],
    ['the NUL character', '{"first_name":"a\\u0000"}', 'invalid_text'],
    ['the NUL character in a key', '{"variables":{"a\\u0000":"b"}}', 'invalid_text'],
    ['half of a surrogate pair', '{"metadata":{"a":"\\ud800"}}', 'invalid_text'],
    ['the key __proto__, which would be lost', '{"metadata":{"__proto__":"x"}}', 'invalid_key'],
  ])('rejects %s', async (_name, raw, code) => {
    const error = parseError(await api.send({ method: 'POST', path: '/contacts/', raw }))
    expect(error.status).toBe(422)
    expect(error.details).toContainEqual(expect.objectContaining({ code }))
  })
})

describe("when the API checks the workspace's objects", () => {
  it("rejects an agent that isn't Live", async () => {
    const agent_id = await seedAgent(api.deps, api.seed.workspaceId, { status: 'draft' })
    const error = parseError(
      await api.send({ method: 'POST', path: '/campaigns/', body: newCampaign({ agent_id }) }),
    )
    expect(error).toMatchObject({ status: 422, code: 'agent_not_live', details: [{ field: 'agent_id' }] })
  })

  it("rejects a phone number that isn't active", async () => {
    const phone_number_id = await seedPhoneNumber(api.deps, api.seed.workspaceId, { status: 'retired' })
    const error = parseError(
      await api.send({ method: 'POST', path: '/campaigns/', body: newCampaign({ phone_number_id }) }),
    )
    expect(error).toMatchObject({
      status: 422,
      code: 'number_not_active',
      details: [{ field: 'phone_number_id' }],
    })
  })

  it("doesn't queue a call in an archived campaign", async () => {
    const { seed, key } = await api.seedOtherWorkspace()
    await api.deps.db
      .updateTable('campaign')
      .set({ status: 'archived' })
      .where('id', '=', seed.campaignId)
      .execute()
    const body = { phone_number: '+12025550100', campaign_id: seed.campaignId }
    const error = parseError(await api.send({ method: 'POST', path: '/contacts/', body, key }))
    expect(error).toMatchObject({
      status: 422,
      code: 'campaign_archived',
      details: [{ field: 'campaign_id' }],
    })
  })
})

describe('apart from validation', () => {
  it("logs an internal error and doesn't show its details to the caller", async () => {
    const logLines: string[] = []
    let broken = false
    const now = () => {
      if (broken) throw new TypeError('a secret detail')
      return api.deps.clock.now()
    }
    const app = await createApp({
      ...api.deps,
      clock: { now, wait: () => Promise.resolve() },
      log: pino({ level: 'info' }, { write: (line: string) => void logLines.push(line) }),
    })
    broken = true
    const response = await app.inject({
      url: `${apiPrefix}/agents/?search=private`,
      headers: { authorization: `Bearer ${api.key}`, 'x-request-id': 'bug-1' },
    })
    await app.close()

    expect(parseError(response)).toMatchObject({ status: 500, type: 'server_error', code: 'internal_error' })
    expect(response.body).not.toContain('secret')
    const logged = logLines.join('')
    expect(logged).toContain('a secret detail')
    expect(logged).not.toContain('private')
    expect(logged).not.toContain(api.key)
    const request: unknown = JSON.parse(logLines.at(-1) ?? '')
    expect(request).toMatchObject({
      request_id: 'bug-1',
      method: 'GET',
      route: `${apiPrefix}/agents/`,
      status: 500,
      duration_ms: expect.any(Number),
    })
  })

  it('describes a database error in the log without the values that the error contains', async () => {
    const row = { workspace_id: api.seed.workspaceId, phone_number: '+12025550142' }
    const insert = () => api.deps.db.insertInto('contact').values(row).execute()
    await insert()
    const error: unknown = await insert().catch((thrown: unknown) => thrown)
    const described = describeError(error)
    expect(described).toMatchObject({ code: '23505', constraint: 'contact_number' })
    expect(JSON.stringify(described)).not.toContain('2025550142')
  })

  it("keeps the caller's request ID if it is valid, and replaces it otherwise", async () => {
    const accepted = await api.send({ path: '/agents/', headers: { 'x-request-id': 'zap-12.A_b' } })
    expect(accepted.headers['x-request-id']).toBe('zap-12.A_b')
    for (const id of ['a b', 'x'.repeat(129), '<script>']) {
      const replaced = await api.send({ path: '/nothing', headers: { 'x-request-id': id } })
      expect(replaced.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  it("returns the same error format for a request that isn't HTTP", async () => {
    const url = new URL(await api.app.listen({ port: 0, host: '127.0.0.1' }))
    const socket = connect(Number(url.port), url.hostname)
    await once(socket, 'connect')
    socket.write('NONSENSE\r\n\r\n')
    const response = await text(socket)
    expect(response).toMatch(/^HTTP\/1\.1 400 /)
    ErrorResponse.parse(JSON.parse(response.slice(response.indexOf('\r\n\r\n'))))
  })
})

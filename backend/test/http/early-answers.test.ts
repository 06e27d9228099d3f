import { once } from 'node:events'
import { describe, expect, it } from '@jest/globals'
import { listenWithLimits, openConnection } from '../support/raw-connection.ts'
import { apiPrefix, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const form = 'Content-Type: application/x-www-form-urlencoded\r\n'
const json = 'Content-Type: application/json\r\n'
const withKey = () => `Authorization: Bearer ${api.key}\r\n`

/** Requests that get a response before their body is read, each with the expected status. */
const kinds: [name: string, line: string, headers: () => string, status: number][] = [
  ['an unknown path', 'POST /nonexistent', () => '', 404],
  ['an unknown path of the API', `POST ${apiPrefix}/nothing`, withKey, 404],
  ['a method that the path does not support', 'PUT /sign-in', () => form, 405],
  ['no key', `POST ${apiPrefix}/contacts/`, () => json, 401],
  [
    'another media type',
    `POST ${apiPrefix}/contacts/`,
    () => `${withKey()}Content-Type: text/plain\r\n`,
    415,
  ],
  ['no session', 'POST /w/1/contacts/new', () => form, 303],
  [
    'no session, with a file',
    'POST /w/1/contacts/import',
    () => 'Content-Type: multipart/form-data\r\n',
    303,
  ],
  ['a form with another media type', 'POST /sign-in', () => json, 415],
  ['a GET of a page', 'GET /sign-in', () => form, 200],
  ['a GET of the API', `GET ${apiPrefix}/agents/`, withKey, 200],
  ['a health check', 'GET /readyz', () => '', 200],
  ['an asset', 'GET /assets/icon.svg', () => '', 200],
  ['OPTIONS', `OPTIONS ${apiPrefix}/agents/`, () => '', 204],
  ['an OAuth page', 'GET /oauth/authorize?client_id=x', () => form, 400],
  ['a report without a credential', 'POST /internal/attempts/x/reports', () => json, 404],
  ['a message to the tool server without a secret', 'POST /api/mcp/', () => json, 401],
  ['an unknown tool session', 'POST /api/mcp/messages/?sessionId=x', () => json, 404],
  ['an unknown method of the tool server', 'PATCH /api/mcp/', () => json, 405],
]
const framings = [
  ['a long body', 'Content-Length: 1000000000\r\n'],
  ['chunks', 'Transfer-Encoding: chunked\r\n'],
] as const
const cases = kinds.flatMap(([name, ...kind]) =>
  framings.map(([framing, header]) => [name, framing, header, ...kind] as const),
)

describe('a request that gets its response before its body has arrived', () => {
  it.each(cases)(
    "doesn't keep its connection open, and takes no capacity from other requests (%s, %s)",
    async (_name, framing, header, line, headers, status) => {
      const { app, port, url } = await listenWithLimits(api.deps, {
        ...{ maxBodyBytes: 50_000, lingerMs: 100 },
      })
      const connection = await openConnection(port)
      connection.write(`${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers()}${header}\r\n`)
      const head = await connection.head()
      expect(head).toContain(`HTTP/1.1 ${status} `)
      expect(head).toMatch(/^connection: close$/im)
      const chunk = 'x'.repeat(100_000)
      const arrived = once(app.server, 'request')
      connection.write(framing === 'chunks' ? `186a0\r\n${chunk}\r\n` : chunk)
      const body = new URLSearchParams({ email: 'a' })
      expect((await fetch(`${url}/sign-in`, { method: 'POST', body })).status).toBe(403)
      await arrived
      expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ok' })
      await connection.closed
    },
  )
})

import { beforeAll, expect, it } from '@jest/globals'
import type { InjectOptions } from 'fastify'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { apiPrefix } from '../../api/routes.ts'
import { minuteMs } from '../../platform/core/durations.ts'
import { attemptReportsPath } from '../../platform/core/runtime-paths.ts'
import { findGrowth, repeatedTexts } from '../support/cpu-growth.ts'
import { seedSignedInOwner, type SignedInUser } from '../support/dashboard.ts'
import { secret } from '../support/mcp.ts'
import { type Service, useServiceWorld } from '../support/service.ts'
import { listReadHeaders } from '../support/text-parsers.ts'

// The service and its libraries read parts of a request before a schema checks it. These tests use long URLs and headers: Node
// accepts 16 KB of them, and a setting can raise this limit.

/**
 * By kind of request, the headers that can cause a rejection. Each is tested alone, because a rejected request's other headers
 * may go unread.
 */
const decidingHeaders: Record<string, string[]> = {
  'the API': ['authorization', 'content-encoding', 'content-type', 'host', 'origin'],
  'a report': ['authorization', 'x-agent-secret'],
  'a page': ['cookie', 'host'],
  'the token endpoint': ['authorization', 'content-type', 'origin'],
}

/** The other headers that the service or a library reads. */
const harmlessHeaders = [
  ...[
    'accept',
    'accept-encoding',
    'access-control-request-headers',
    'forwarded',
    'hx-current-url',
    'hx-request',
  ],
  ...[
    'idempotency-key',
    'if-modified-since',
    'if-none-match',
    'outdial-aside',
    'range',
    'sec-fetch-site',
    'user-agent',
  ],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-outdial-client', 'x-request-id'],
]

/**
 * Headers that aren't tested here: Node checks some, the service sends some, and core/text-growth.test.ts tests MCP headers.
 */
const otherHeaders = [
  ...['content-length', 'transfer-encoding', 'retry-after', 'webhook-timestamp'],
  ...['mcp-protocol-version', 'mcp-session-id'],
]

const urlEncoded = 'application/x-www-form-urlencoded'

let service: Service
let owner: SignedInUser
/** A valid request of each kind. */
let requests: Record<string, InjectOptions & { headers: Record<string, string> }>
const world = useServiceWorld()

beforeAll(async () => {
  service = world.service
  service.deps.runtimeSecrets = () => [secret]
  const { seed, ...user } = await seedSignedInOwner(service)
  owner = user
  const { key } = await createApiKey(service.deps, seed.workspaceId, seed.userId, 'Growth')
  const json = { host: 'localhost', 'content-type': 'application/json' }
  const cookie = owner.browser.cookies().join('; ')
  requests = {
    'the API': {
      method: 'POST',
      url: `${apiPrefix}/do-not-call/`,
      headers: { ...json, authorization: `Bearer ${key}` },
      payload: '{}',
    },
    'a report': {
      method: 'POST',
      url: attemptReportsPath(crypto.randomUUID()),
      headers: { ...json, 'x-agent-secret': secret },
      payload: '{}',
    },
    'a page': {
      method: 'GET',
      url: new URL(owner.urlFor('/account')).pathname,
      headers: { host: 'localhost', cookie },
    },
    'a form': {
      method: 'POST',
      url: new URL(owner.urlFor('/agents/new')).pathname,
      headers: { host: 'localhost', cookie, 'content-type': urlEncoded },
    },
    'an upload': {
      method: 'POST',
      url: new URL(owner.urlFor('/contacts/import')).pathname,
      headers: { host: 'localhost', cookie, 'content-type': 'multipart/form-data; boundary=b' },
    },
    'sign-in': {
      method: 'POST',
      url: '/sign-in',
      headers: { host: 'localhost', 'content-type': urlEncoded },
    },
    'the token endpoint': {
      method: 'POST',
      url: '/oauth/token',
      headers: { host: 'localhost', 'content-type': urlEncoded },
    },
    'an authorization': { method: 'GET', url: '/oauth/authorize', headers: { host: 'localhost' } },
    'a file': { method: 'GET', url: '/assets/outdial.css', headers: { host: 'localhost' } },
  }
})

async function expectProportion(toRequest: (text: string) => InjectOptions): Promise<void> {
  for (const [what, repeat] of Object.entries(repeatedTexts)) {
    const send = async (text: string) => {
      service.deps.clock.advance(minuteMs) // otherwise, the rate limit would reject the later requests
      const { statusCode } = await service.app.inject(toRequest(text))
      expect([429, 503]).not.toContain(statusCode)
    }
    expect(await findGrowth(what, repeat, send)).toBeUndefined()
  }
}

it("every header that the code reads is in one of this file's lists of headers", () => {
  const known = [...Object.values(decidingHeaders).flat(), ...harmlessHeaders, ...otherHeaders]
  const unknown = listReadHeaders().filter((name) => !known.includes(name))
  const advice = 'to a list of headers in test/http/request-growth.test.ts'
  expect(unknown.map((name) => `Add ${name} ${advice}`)).toEqual([])
})

const sentHeaders: [target: string, what: string, names: string[]][] = [
  ...Object.entries(decidingHeaders).flatMap(([target, names]) =>
    names.map((name): [string, string, string[]] => [target, name, [name]]),
  ),
  ...[...Object.keys(decidingHeaders), 'a file'].map((target): [string, string, string[]] => [
    target,
    'the other headers',
    harmlessHeaders,
  ]),
]

it.each(sentHeaders)(
  'reads a request for %s in CPU time proportional to the length of its headers: %s',
  async (target, _what, names) => {
    const request = requests[target]
    await expectProportion((text) => ({
      ...request,
      headers: { ...request?.headers, ...Object.fromEntries(names.map((name) => [name, text])) },
    }))
  },
)

const cookies: Record<string, (text: string) => string> = {
  session: (text) => `outdial_session=${text}`,
  message: (text) => {
    const flash = Buffer.from(JSON.stringify({ kind: 'success', text })).toString('base64url')
    return `${owner.browser.cookies().join('; ')}; outdial_flash=${flash}`
  },
}

it.each(Object.entries(cookies))(
  "reads the cookie of a %s in CPU time proportional to the cookie's length",
  async (_what, toCookie) => {
    const page = requests['a page']
    await expectProportion((text) => ({ ...page, headers: { ...page?.headers, cookie: toCookie(text) } }))
  },
)

const part = (disposition: string, more: string, body: string) =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${body}\r\n--b--\r\n`

const bodies: [target: string, what: string, toBody: (text: string) => string][] = [
  ...['the API', 'a report', 'a form', 'an upload', 'sign-in', 'the token endpoint'].map(
    (target): [string, string, (text: string) => string] => [target, 'any text', (text) => text],
  ),
  ...['the API', 'a report'].flatMap((target): [string, string, (text: string) => string][] => [
    [target, 'a value', (text) => JSON.stringify({ type: text, phone_number: text })],
    [target, 'a name', (text) => JSON.stringify({ [text]: 1 })],
  ]),
  ...['a form', 'the token endpoint'].flatMap((target): [string, string, (text: string) => string][] => [
    [target, 'a value', (text) => `grant_type=${text}&name=${text}`],
    [target, 'an encoded value', (text) => new URLSearchParams({ name: text }).toString()],
  ]),
  ['an upload', 'a name', (text) => part(`name="${text}"`, '', 'a')],
  ['an upload', 'a value', (text) => part('name="a"', '', text)],
  [
    'an upload',
    'a file',
    (text) => part('name="file"; filename="a.csv"', 'Content-Type: text/csv\r\n', text),
  ],
  ['an upload', 'the name of a file', (text) => part(`name="file"; filename="${text}"`, '', 'a')],
  ['an upload', 'a type', (text) => part('name="file"; filename="a"', `Content-Type: ${text}\r\n`, 'a')],
  ['an upload', 'headers', (text) => part('name="a"', `${text}\r\n`, 'a')],
]

it.each(bodies)(
  "reads the body of a request for %s in CPU time proportional to the body's length: %s",
  async (target, _what, toBody) => {
    await expectProportion((text) => ({ ...requests[target], payload: toBody(text) }))
  },
)

it("reads the boundary of an upload in CPU time proportional to the boundary's length", async () => {
  const upload = requests['an upload']
  await expectProportion((text) => ({
    ...upload,
    headers: { ...upload?.headers, 'content-type': `multipart/form-data; boundary=${text}` },
    payload: part('name="a"', '', 'a'),
  }))
})

it('reads the parameters of an authorization in CPU time proportional to their length', async () => {
  await expectProportion((text) => {
    const query = new URLSearchParams({ client_id: 'a', state: text })
    return { ...requests['an authorization'], url: `/oauth/authorize?${query.toString()}` }
  })
})

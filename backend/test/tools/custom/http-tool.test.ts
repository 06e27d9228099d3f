import { describe, expect, it } from '@jest/globals'
import { createHttpTool, httpTool } from '../../../tools/custom/http-tool.ts'
import { findToolsWithEffects } from '../../../tools/kinds/tool-kind.ts'
import { addHttpTool, type HttpToolInput } from '../../../tools/save-http-tool.ts'
import { invalidResponses } from '../../support/http-receiver.ts'
import { publicConfig, runTool, useHttpToolWorld } from '../../support/tools.ts'

const { world, receiver, input, add, keyed } = useHttpToolWorld()

const respondWith = (body: string | Buffer, type = 'application/json', status = 200) => {
  receiver.respond = (_request, response) => response.writeHead(status, { 'content-type': type }).end(body)
}
/** Creates the tool and uses it once. */
const use = async (args: Record<string, unknown> = { city: 'Oslo' }, more: Partial<HttpToolInput> = {}) =>
  runTool(world.deps, httpTool, await add(more), args)

describe('the request of an HTTP tool', () => {
  it('contains the arguments in its URL, and the JSON in the response is returned without whitespace', async () => {
    respondWith('{ "degrees": 12,\n "sky": "clear" }')
    expect(await use({ city: 'São Paulo/1', day: 'today' })).toEqual({
      text: '{"degrees":12,"sky":"clear"}',
      isError: false,
    })
    expect(receiver.requests).toMatchObject([{ path: '/cities/S%C3%A3o%20Paulo%2F1?day=today', body: '' }])
  })

  it("passes arguments that aren't in its URL as query parameters if it's a GET", async () => {
    await use({ city: 'Oslo', day: ['mon', 'tue'], 'a&b': { c: 1 }, gone: null })
    expect(receiver.requests[0]?.path).toBe('/cities/Oslo?day=mon&day=tue&a%26b=%7B%22c%22%3A1%7D')
  })

  it.each(['POST', 'PUT', 'PATCH'] as const)(
    "passes arguments that aren't in its URL in a JSON body if it's a %s",
    async (method) => {
      const args = { city: 'Oslo', day: { nested: [1, 'two', null] } }
      await use(args, { method })
      expect(receiver.requests).toMatchObject([
        {
          path: '/cities/Oslo',
          body: '{"day":{"nested":[1,"two",null]}}',
          headers: { 'content-type': 'application/json' },
        },
      ])
    },
  )

  it("isn't sent if the query of its URL already sets one of the arguments", async () => {
    const result = await use(
      { city: 'Oslo', key: 'mine' },
      { url: receiver.url('/cities/{city}?key=theirs') },
    )
    expect(result).toEqual({
      text: 'key is set by the tool. Leave it out and try again.',
      isError: true,
    })
    expect(receiver.requests).toEqual([])
  })

  it("isn't sent if an argument would change the path", async () => {
    expect(await use({ city: '../admin' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('city is empty, or it contains'),
    })
    expect(receiver.requests).toEqual([])
  })

  it('stops when the agent cancels the tool call', async () => {
    const agent = new AbortController()
    receiver.respond = () => agent.abort()
    const row = await add()
    await expect(
      runTool(world.deps, httpTool, row, { city: 'Oslo' }, { signal: agent.signal }),
    ).rejects.toMatchObject({
      name: 'AbortError',
    })
  })

  it("isn't sent on a test call, and the tool's result describes it", async () => {
    const row = await add({ ...keyed(), method: 'POST' })
    expect(findToolsWithEffects(httpTool, row, [])).toEqual(new Set([row.name]))
    const result = await runTool(world.deps, httpTool, row, { city: 'Oslo', day: 1 }, { dryRun: true })
    expect(result.isError).toBe(false)
    expect(result.text).toMatch(/Test call: nothing was changed\. .*POST .*\/cities\/Oslo with \{"day":1\}$/)
    expect(receiver.requests).toEqual([])
  })

  it("counts as having no effects if it's a GET", async () => {
    const row = await add()
    expect(findToolsWithEffects(httpTool, row, [])).toEqual(new Set())
  })

  it.each(['127.0.0.1', '2130706433', '[::1]', 'localhost', '10.0.0.1', '169.254.169.254'])(
    "isn't sent to http://%s if Outdial has a public URL",
    async (host) => {
      const row = await add()
      const online = { ...world.deps, config: publicConfig }
      const settings = { ...row.settings, url: receiver.url('/', host) }
      expect(await runTool(online, httpTool, { ...row, settings }, {})).toMatchObject({ isError: true })
      expect(receiver.requests).toEqual([])
      await expect(
        addHttpTool(online, world.seed.workspaceId, input({ url: `https://${host}/` })),
      ).rejects.toMatchObject({
        code: 'validation_failed',
      })
    },
  )
})

describe('secrets', () => {
  it('sends secrets in the query and the headers', async () => {
    await use(undefined, keyed())
    expect(receiver.requests).toMatchObject([
      {
        path: '/cities/Oslo?key=k%26y%2B%20%22quoted%22',
        headers: { authorization: 'Bearer token-of-the-service', 'x-plain': 'yes' },
      },
    ])
  })

  it.each([200, 400])(
    'redacts a secret in any encoding if a response with status %i contains it',
    async (status) => {
      const { secrets } = keyed()
      const spellings = Object.values(secrets).flatMap((secret) => [
        secret,
        encodeURIComponent(secret),
        encodeURIComponent(secret).replaceAll('%2B', '%2b'),
        new URLSearchParams({ secret }).toString().slice('secret='.length),
        secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
        Buffer.from(secret).toString('base64'),
        Buffer.from(secret).toString('base64url'),
      ])
      respondWith(
        JSON.stringify({ spellings, path: '/?key=k%26y%2B%20%22quoted%22' }),
        'application/json',
        status,
      )
      const { text } = await use(undefined, keyed())
      for (const spelling of spellings) expect(text).not.toContain(spelling)
      expect(text).not.toMatch(/quoted|token-of/)
      expect(text).toContain('[secret]')
    },
  )

  it("doesn't reveal a secret if the connection fails", async () => {
    receiver.respond = (_request, response) => response.destroy()
    const result = await use(undefined, keyed())
    expect(result).toEqual({
      text: 'The request to the service failed: the connection was closed. Try again once, or continue without the result.',
      isError: true,
    })
  })

  it('treats a secret reference in an argument as text', async () => {
    respondWith('{}')
    await use({ city: '{{secret.TOKEN}}' }, { ...keyed(), method: 'POST' })
    expect(receiver.requests[0]?.path).toMatch(/^\/cities\/%7B%7Bsecret.TOKEN%7D%7D\?/)
  })
})

describe('the response to an HTTP tool', () => {
  it.each([
    ['text/plain; charset=utf-8', ' sunny ', 'sunny'],
    ['text/html', '<p>sunny</p>', '<p>sunny</p>'],
    ['application/problem+json', '{ "a": 1 }', '{"a":1}'],
    ['application/xml', '<a/>', '<a/>'],
    ['application/json', 'not json', 'not json'],
  ])('is returned as text if its type is %s', async (type, body, text) => {
    respondWith(body, type)
    expect(await use()).toEqual({ text, isError: false })
  })

  it("is reported as a success if it's empty", async () => {
    expect(await use()).toEqual({
      text: 'Done. The service returned status 204 without text.',
      isError: false,
    })
  })

  it.each([
    ['image/png', Buffer.from([0x89, 0x50])],
    ['application/octet-stream', Buffer.from('abc')],
    ['text/plain', Buffer.from([0x61, 0x00, 0x62])],
  ])("is reported as an error if it's binary and its type is %s", async (type, body) => {
    respondWith(body, type)
    expect(await use()).toEqual({
      text: `The service's response (${type}) isn't readable text. Continue without the result.`,
      isError: true,
    })
  })

  it("is rejected if it's compressed, because the request asks for an uncompressed one", async () => {
    receiver.respond = (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('xx')
    expect(await use()).toMatchObject({ isError: true })
    expect(receiver.requests[0]?.headers['accept-encoding']).toBe('identity')
  })

  it.each([404, 500])("is reported with its status and body if it's an error %i", async (status) => {
    respondWith('{"error": "no such city"}', 'application/json', status)
    const text = `The service returned error ${status}. Correct the arguments, or continue without the result. It said: {"error":"no such city"}`
    expect(await use()).toEqual({ text, isError: true })
  })

  it("isn't followed if it's a redirect", async () => {
    receiver.respondWith(302, { location: receiver.url('/elsewhere') })
    const text =
      "The service returned a redirect (status 302). Outdial doesn't follow redirects. Continue without the result."
    expect(await use()).toEqual({ text, isError: true })
    expect(receiver.requests).toHaveLength(1)
  })

  it("is read only in part if it's 50 MB, and the result says that it's truncated", async () => {
    let written = 0
    receiver.respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const chunk = 'ü'.repeat(32 * 1024)
      const write = () => {
        while (written < 50e6 && !response.destroyed) {
          written += chunk.length * 2
          if (!response.write(chunk)) return void response.once('drain', write)
        }
        response.end()
      }
      write()
    }
    const { text, isError } = await use()
    expect(isError).toBe(false)
    expect(Buffer.byteLength(text)).toBeLessThan(17 * 1024)
    expect(text).toMatch(/^ü+… \[Only the first 16 KiB are shown.\]$/)
    expect(written).toBeLessThan(20e6)
  })

  it("is reported as timed out if it doesn't arrive, with a warning that a POST may have taken effect", async () => {
    receiver.neverRespond()
    const impatient = createHttpTool({ timeoutMs: 50 })
    const result = await runTool(world.deps, impatient, await add(), { city: 'Oslo' })
    expect(result).toEqual({
      text: 'The request to the service failed: the request timed out. Try again once, or continue without the result.',
      isError: true,
    })
    const posted = await runTool(world.deps, impatient, await add({ method: 'POST' }), { city: 'Oslo' })
    expect(posted.text).toMatch(/The request may have taken effect\. Don't repeat it\.$/)
  })

  it.each(invalidResponses)("is reported as an error if it isn't valid HTTP: %s", async (_name, bytes) => {
    receiver.respondWithBytes(bytes)
    expect(await use(undefined, { method: 'POST' })).toEqual({
      text: "The request to the service failed: the response isn't valid HTTP. The request may have taken effect. Don't repeat it.",
      isError: true,
    })
  })

  it.each([
    ['http://127.0.0.1:1/', 'the connection was refused'],
    ['https://nowhere.invalid/', 'the hostname '],
    ['https://127.0.0.1:{port}/', 'the secure connection failed'],
  ])(
    "if nothing could be sent, is replaced by an error that doesn't warn that a POST may have taken effect: %s",
    async (url, reason) => {
      const target = url.replace('{port}', new URL(receiver.url()).port)
      const { text } = await use({}, { method: 'POST', url: target, inputSchema: { type: 'object' } })
      expect(text).toContain(`The request to the service failed: ${reason}`)
      expect(text).toContain('Try again once, or continue without the result.')
    },
  )

  it("is reported as an error if it's incomplete", async () => {
    receiver.respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' }).write('half')
      setImmediate(() => response.destroy())
    }
    const text = "The service's response was incomplete (status 200). Continue without the result."
    expect(await use()).toEqual({ text, isError: true })
  })
})

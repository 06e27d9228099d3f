import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { exampleCampaign } from '@outdial/contract'
import { codeExamples } from '../../api/reference/code-examples.ts'
import { listFields } from '../../api/reference/read-fields.ts'
import { itInChromium } from '../support/chromium.ts'
import { expectAccessible, openTab, useOwnerWorld } from '../support/dashboard.ts'
import { type ParsedDocument, parseDocument } from '../support/openapi-document.ts'
import { apiPrefix } from '../support/test-api.ts'

const { world, user } = useOwnerWorld()
let read: ParsedDocument
let page: string
beforeAll(async () => {
  read = parseDocument(await (await fetch(`${world.service.url}${apiPrefix}/openapi.json`)).json())
  page = await (await fetch(`${world.service.url}/docs`)).text()
})

const unescaped = () =>
  page
    .replaceAll(/<[^<>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

it('shows every operation, parameter, and error code, and the fields of every object', () => {
  const names = read.operations.flatMap(({ method, path, parameters, responses }) => [
    `${method}</span> <code>${path}</code>`,
    ...parameters.map(({ name }) => `<code>${name}</code>`),
    ...Object.values(responses).flatMap(({ content }) =>
      Object.keys(content?.['application/json'].examples ?? {}).map((code) => `<code>${code}</code>`),
    ),
  ])
  const schemas = Object.values(read.document.components.schemas)
  const fields = schemas.flatMap((schema) => listFields(schema).map(({ name }) => `<code>${name}</code>`))
  expect(fields.length).toBeGreaterThan(100)
  expect([...names, ...fields].filter((markup) => !page.includes(markup))).toEqual([])
})

it('has examples with the address of this server', () => {
  expect(unescaped()).toContain(`curl '${world.service.deps.config.publicUrl}${apiPrefix}/contacts/'`)
  expect(unescaped()).toContain(`${apiPrefix}/do-not-call/?phone_number=%2B12025550100'`)
  expect(page).not.toContain('undefined')
})

it('links only to existing headings, to URLs of this server that respond with 200, and to HTTPS sites', async () => {
  const links = [...page.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, link = '']) => link)
  const anchors = links.filter((link) => link.startsWith('#')).map((link) => link.slice(1))
  expect(anchors.length).toBeGreaterThan(50)
  expect(anchors.filter((id) => !page.includes(`id="${id}"`))).toEqual([])
  const others = links.filter((link) => !link.startsWith('#') && !link.startsWith('https://'))
  for (const link of others) expect((await fetch(`${world.service.url}${link}`)).status).toBe(200)
})

it('gives each element a different ID', () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

itInChromium('is accessible, and fits on a phone', async (chromium) => {
  const tab = await openTab(world.service, chromium, user)
  await tab.goto(`${world.service.url}/docs`)
  await expectAccessible(tab)
  await tab.setViewportSize({ width: 390, height: 844 })
  await expectAccessible(tab)
  expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(390)
})

describe('an example', () => {
  interface Received {
    method: string | undefined
    url: string | undefined
    headers: IncomingHttpHeaders
    body: unknown
  }
  const received: Received[] = []
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    const hasBody = headers['content-type'] !== undefined
    void (async () => {
      received.push({ method, url, headers, body: hasBody ? await json(request) : undefined })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"done": true}')
    })()
  })
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => void server.close())

  const programs: Record<string, (code: string) => [string, string[]]> = {
    curl: (code) => ['sh', ['-c', code]],
    JavaScript: (code) => [process.execPath, ['--input-type=module', '-e', code]],
    Python: (code) => ['python3', ['-c', code]],
  }
  const languages = Object.keys(programs)
  const requests = [
    { method: 'GET', path: '/calls/?limit=5&search=%2B1', body: undefined },
    { method: 'POST', path: '/contacts/', body: { ...exampleCampaign, name: `It's "new": $HOME \\ \n☎` } },
    { method: 'DELETE', path: '/webhooks/311/', body: undefined },
  ]

  it.each(languages.flatMap((language) => requests.map((request) => ({ language, ...request }))))(
    'in $language sends $method $path',
    async ({ language, method, path, body }) => {
      const { port } = server.address() as AddressInfo
      const examples = codeExamples({ method, url: `http://127.0.0.1:${port}${path}`, body })
      const { code = '' } = examples.find((example) => example.language === language) ?? {}
      const [program = '', args = []] = programs[language]?.(code) ?? []
      received.length = 0
      const env = { ...process.env, API_KEY: 'odk_example' }
      await promisify(execFile)(program, args, { env })
      expect(received).toMatchObject([{ method, url: path, body }])
      expect(received[0]?.headers.authorization).toBe('Bearer odk_example')
    },
  )
})

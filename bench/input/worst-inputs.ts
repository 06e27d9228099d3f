import { setTimeout } from 'node:timers/promises'
import { constants, deflateRawSync, deflateSync } from 'node:zlib'
import type { Browser } from '../../support/browser.ts'
import { startFloodingMcpServer } from './flooding-mcp-server.ts'
import { startHostileMcpServer } from './hostile-mcp-server.ts'
import { sendAnsweredBodies, sendHalfForms, sendHalfMessages } from './unfinished-requests.ts'
import { requestWithoutReading } from './unread-responses.ts'

/** The workspace that sends the inputs. */
interface Attacker {
  browser: Browser
  /** The URL of the workspace's dashboard. */
  base: string
  api: string
  apiKey: string
}

/** Sends an input once, and returns the status of the response. */
type Send = (attacker: Attacker) => Promise<number>

const postJson =
  (body: string): Send =>
  async ({ api, apiKey }) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const response = await fetch(`${api}/contacts/`, { method: 'POST', headers, body })
    await response.text()
    return response.status
  }

const saveSchema =
  (schema: object): Send =>
  async ({ browser, base }) => {
    const { page: form } = await browser.open(`${base}/tools/new-http`)
    const { page } = await browser.press(form, 'Add tool', {
      ...{ name: 'slow', description: 'Slow.', method: 'GET', url: 'https://example.com/' },
      ...{ arguments_as: 'schema', input_schema: JSON.stringify(schema) },
    })
    return page.status
  }

/** Adds an MCP server that sends too much data. */
const addMcpServer = (start: () => Promise<string>): Send => {
  let url: Promise<string> | undefined
  return async ({ browser, base }) => {
    const { page: form } = await browser.open(`${base}/tools/new-server`)
    url ??= start()
    const fields = { name: 'hostile', description: 'Hostile.', url: await url, transport: 'streamable' }
    const { page } = await browser.press(form, 'Add server', fields)
    return page.status
  }
}

/** Uploads a file with the form of the page at `path`. */
const upload =
  (path: string, name: string, bytes: Buffer<ArrayBuffer>): Send =>
  async ({ browser, base }) => {
    const { page: form } = await browser.open(`${base}${path}`)
    const body = new FormData()
    for (const field of ['_csrf', '_once'])
      body.set(field, new RegExp(`name="${field}" value="([^"]*)"`).exec(form.html)?.[1] ?? '')
    body.append('title', 'Document')
    body.append('file', new Blob([bytes]), name)
    const headers = { cookie: browser.cookies().join('; '), origin: new URL(base).origin }
    const response = await fetch(`${base}${path}`, { method: 'POST', body, headers, redirect: 'manual' })
    await response.text()
    return response.status
  }

/** Creates a PDF whose only page inflates to `blocks` × 16 MiB. */
function createPdfBomb(blocks: number): Buffer<ArrayBuffer> {
  const piece = deflateRawSync(Buffer.alloc(16 * 1024 * 1024, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  const stream = Buffer.concat([
    Buffer.from([0x78, 0x9c]),
    ...Array<Buffer>(blocks).fill(piece),
    deflateRawSync(''),
  ])
  return Buffer.concat([
    Buffer.from(
      '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n' +
        '2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n' +
        '3 0 obj\n<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 612 792] >>\nendobj\n' +
        `4 0 obj\n<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`,
    ),
    stream,
    Buffer.from('\nendstream\nendobj\ntrailer\n<< /Size 5 /Root 1 0 R >>\n%%EOF\n'),
  ])
}

/** Creates a PDF whose page draws `words` words, each in a different place. */
function createLongPdf(words: number): Buffer<ArrayBuffer> {
  const text = Array.from(
    { length: words },
    (_, index) => `1 0 0 1 ${index % 600} ${index % 790} Tm (w${index}) Tj`,
  )
  const stream = deflateSync(`BT /F 12 Tf ${text.join(' ')} ET`)
  const head =
    '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n' +
    '2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n' +
    '3 0 obj\n<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F 5 0 R >> >> >>\nendobj\n' +
    '5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n' +
    `4 0 obj\n<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`
  return Buffer.concat([
    Buffer.from(head),
    stream,
    Buffer.from('\nendstream\nendobj\ntrailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n'),
  ])
}

const megabyte = 1024 * 1024
const columns = Array.from({ length: 199 }, (_, index) => `column ${index}`)
const csvRow = ['+12025550123', ...columns.map(() => 'x'.repeat(20))].join(',')
const csv = Buffer.from(
  [
    ['Phone number', ...columns].join(','),
    ...Array<string>(Math.floor((19 * megabyte) / csvRow.length)).fill(csvRow),
  ].join('\n'),
)
const manyProperties = (schema: object) =>
  Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`p${index}`, schema]))

/** How many times each form is sent. This keeps all forms together below the limit of 60 costly forms per minute. */
const formPosts = 10

interface Input {
  name: string
  send: Send
  /** The maximum number of times that the input is sent. It's infinite for requests to the API. */
  maxPosts: number
}

const toApi = (name: string, send: Send): Input => ({ name, send, maxPosts: Infinity })
/** Uploads a file of contacts, and accepts the guessed columns, so that the file is checked. */
const importCsv =
  (bytes: Buffer<ArrayBuffer>): Send =>
  async (target) => {
    const status = await upload('/contacts/import', 'wide.csv', bytes)(target)
    const { browser, base } = target
    const { page: list } = await browser.open(`${base}/contacts/import`)
    const [, path = ''] = /href="([^"]*\/contacts\/import\/\d+)"/.exec(list.html) ?? []
    const address = new URL(path, base).href
    for (;;) {
      const { page } = await browser.open(address)
      if (page.html.includes('Check file')) await browser.press(page, 'Check file')
      if (!page.html.includes('Reading columns')) return status
      await setTimeout(200)
    }
  }

const toDashboard = (name: string, send: Send): Input => ({ name, send, maxPosts: formPosts })

/** The worst input of each kind that the service doesn't reject for its size alone, and some inputs that it rejects. */
export const inputs: readonly Input[] = [
  toApi('JSON: 1 MB of small values', postJson(JSON.stringify(Array.from({ length: 250_000 }, () => 1)))),
  toApi('JSON: 0.5 MB of open brackets', postJson('['.repeat(megabyte / 2))),
  toApi(
    'JSON: one text of 1 MB',
    postJson(JSON.stringify({ phone_number: '+1'.repeat(megabyte / 2 - 100) })),
  ),
  toDashboard(
    'schema: 150 arguments with alternatives',
    saveSchema({
      type: 'object',
      properties: manyProperties({
        anyOf: [{ type: 'string', minLength: 1 }, { type: 'number' }, { enum: [null, true] }],
      }),
    }),
  ),
  { name: '220 half-sent forms', send: ({ api }) => sendHalfForms(new URL(api).origin), maxPosts: 1 },
  {
    name: '220 bodies that were answered early',
    send: ({ api }) => sendAnsweredBodies(new URL(api).origin),
    maxPosts: 1,
  },
  {
    name: '220 half-sent messages to the tool server',
    send: ({ api }) => sendHalfMessages(new URL(api).origin),
    maxPosts: 1,
  },
  toApi('45,000 requests whose responses nobody reads', ({ api }) =>
    requestWithoutReading(new URL(api).origin),
  ),
  toApi('OAuth: 15,000 slashes in the query', async ({ api }) => {
    const response = await fetch(`${new URL(api).origin}/oauth/token?a=${'/'.repeat(15_000)}x`, {
      method: 'POST',
    })
    await response.text()
    return response.status
  }),
  toDashboard('agent: a language tag of 340 KB', async ({ browser, base }) => {
    const { page: form } = await browser.open(`${base}/agents/new`)
    const language = `en-u${Array.from({ length: 43_000 }, (_, index) => `-a${10_000 + index}`).join('')}`
    const { page } = await browser.press(form, 'Create draft', { name: 'Ava', language })
    return page.status
  }),
  toDashboard('contact: 100 variables with 2,000 spaces', async ({ browser, base }) => {
    const { page: form } = await browser.open(`${base}/contacts/new`)
    const variables = Array.from({ length: 100 }, (_, index) => `v${index} = x${' '.repeat(1_997)}x`).join(
      '\n',
    )
    const { page } = await browser.press(form, 'Add contact', { phone_number: '+12025550143', variables })
    return (await browser.open(`${page.url}/edit`)).page.status
  }),
  toDashboard(
    'schema: patterns that backtrack',
    saveSchema({ type: 'object', properties: manyProperties({ type: 'string', pattern: '^(a+)+$' }) }),
  ),
  toDashboard('MCP server: 690,000 tools', addMcpServer(startHostileMcpServer)),
  toDashboard(
    'MCP server: requests without end',
    addMcpServer(() => startFloodingMcpServer('requests')),
  ),
  toDashboard(
    'MCP server: notifications without end',
    addMcpServer(() => startFloodingMcpServer('notifications')),
  ),
  toDashboard(
    'MCP server: 0.3 MB of gzip that inflates to 110 MB',
    addMcpServer(() => startFloodingMcpServer('gzip')),
  ),
  toDashboard('CSV: 19 MB, 200 columns', importCsv(csv)),
  toDashboard('PDF: 8 KB that inflates to 8 GB', upload('/knowledge/new', 'bomb.pdf', createPdfBomb(512))),
  toDashboard('PDF: 300,000 words', upload('/knowledge/new', 'long.pdf', createLongPdf(300_000))),
]

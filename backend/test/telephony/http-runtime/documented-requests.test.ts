import { beforeAll, describe, expect, it } from '@jest/globals'
import { CallState, ReportAccepted, RuntimeDialRequest, RuntimeReport } from '@outdial/contract'
import { Webhook } from 'standardwebhooks'
import { codeBlocks, readPage } from '../../../../test/support/docs.ts'
import { exampleDialRequest } from '../../../api/openapi/runtime-examples.ts'
import { createAttemptToken } from '../../../platform/secrets/attempt-tokens.ts'
import { seedLiveCall } from '../../support/factories.ts'
import { openSse, textResult, textSchema, useMcpWorld } from '../../support/mcp.ts'

interface Message {
  /** The method of a request, or `HTTP/1.1` of a response. */
  method: string
  /** The path of a request, or the status of a response. */
  path: string
  headers: Record<string, string>
  body: string
}

const page = 'docs/reference/runtime.md'

const messages = codeBlocks(page, 'http').map((block): Message => {
  const [head = '', body = ''] = block.trim().split(/\n\n([^]*)/)
  const [start = '', ...lines] = head.split('\n')
  const [method = '', path = ''] = start.split(' ')
  return {
    method,
    path,
    headers: Object.fromEntries(lines.map((line) => line.split(': ') as [string, string])),
    body,
  }
})

const requests = (path: string) => messages.filter((message) => message.path.startsWith(path))
/** Replaces each digit of a session ID with 0, because the digits differ each time. */
const toShape = (text: string) =>
  text.trim().replaceAll(/[0-9a-f]{16}\.[0-9a-f]{32}/g, (id) => id.replace(/\w/g, '0'))
const bodyOf = ({ body }: Message): unknown => JSON.parse(body)
/** Returns the JSON bodies that have this field. */
const bodiesWith = (field: string) =>
  messages
    .filter(({ body }) => body.startsWith('{'))
    .flatMap((message) => {
      const body = bodyOf(message)
      return typeof body === 'object' && body !== null && field in body ? [body] : []
    })

describe('the examples in docs/reference/runtime.md', () => {
  it('contain a valid dial request, valid reports, and valid responses', () => {
    expect(requests('/calls').map(({ method }) => method)).toEqual(['POST', 'GET', 'DELETE'])
    expect(requests('/calls').slice(0, 1).map(bodyOf)).toEqual([exampleDialRequest])
    expect(RuntimeDialRequest.parse(exampleDialRequest)).toEqual(exampleDialRequest)
    const reports = [
      ...requests('/api/internal').map(bodyOf),
      ...codeBlocks(page, 'json').map((block): unknown => JSON.parse(block)),
    ]
    expect(reports).toHaveLength(4)
    for (const report of reports) expect(RuntimeReport.safeParse(report).error).toBeUndefined()
    expect(bodiesWith('reports').map((state) => CallState.safeParse(state).success)).toEqual([true])
    expect(
      bodiesWith('sequence').filter((body) => ReportAccepted.strict().safeParse(body).success),
    ).toHaveLength(1)
  })

  it('have signatures that match the key on the page', () => {
    const key = /`(whsec_\w+=)`/.exec(readPage(page))?.[1] ?? ''
    for (const { method, path, headers, body } of requests('/calls')) {
      const { 'webhook-id': id = '', 'webhook-timestamp': seconds, 'webhook-signature': signature } = headers
      const at = new Date(Number(seconds) * 1000)
      expect(signature).toBe(new Webhook(key).sign(id, at, body || `${method} ${path}`))
    }
  })
})

describe('the examples of tools in docs/reference/runtime.md', () => {
  const notes: unknown[] = []
  const service = useMcpWorld({ contact_note: ({ args }) => (notes.push(args), textResult('Note saved.')) })
  let token: string
  beforeAll(async () => {
    const { agentId } = await service.addAgent()
    await service.addTool(agentId, 'contact_note', { kind: 'contact_note', schema: textSchema })
    const { attemptId } = await seedLiveCall(service.deps, { ...service.seed, agentId })
    token = createAttemptToken(service.deps.attemptTokenKey, attemptId)
  })

  it('open a session, list the tools, and save a note over Streamable HTTP', async () => {
    let session = ''
    const responses: unknown[] = []
    for (const { headers, body } of requests('/api/mcp/?')) {
      const response = await fetch(`${service.url}/api/mcp/`, {
        method: 'POST',
        headers: {
          ...headers,
          Authorization: `Bearer ${token}`,
          ...(headers['Mcp-Session-Id'] !== undefined && { 'Mcp-Session-Id': session }),
        },
        body,
      })
      session = response.headers.get('mcp-session-id') ?? session
      const documented = headers['Mcp-Session-Id']
      if (documented !== undefined) expect(toShape(documented)).toBe(toShape(session))
      responses.push(await response.json())
    }
    expect(responses).toMatchObject([
      { id: 1, result: { protocolVersion: '2025-11-25' } },
      { id: 2, result: { tools: [{ name: 'contact_note' }] } },
      { id: 3, result: { content: [{ text: 'Note saved.' }] } },
    ])
    expect(notes.splice(0)).toEqual([{ text: 'Prefers calls in the morning.' }])
  })

  it('save a note over HTTP+SSE without an initialize request, and send the token only when they open the stream', async () => {
    const stream = await openSse(service.url, {}, { authorization: `Bearer ${token}` })
    const [message] = requests('/api/mcp/messages/')
    const documented = messages.find(({ body }) => body.startsWith('event: endpoint'))?.body
    expect(toShape(`event: endpoint\ndata: ${stream.data}`)).toBe(toShape(documented ?? ''))
    expect(documented).toContain(`data: ${message?.path}`)
    const posted = await fetch(stream.endpoint, {
      method: 'POST',
      headers: message?.headers,
      body: message?.body,
    })
    expect(posted.status).toBe(202)
    expect(await stream.next()).toMatchObject({
      id: 1,
      result: { content: [{ text: 'Note saved.' }] },
    })
    stream.close()
  })
})

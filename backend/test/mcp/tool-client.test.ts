import { beforeAll, describe, expect, it } from '@jest/globals'
import { openToolClient, ownToolServerUrl, toolSessionUrl } from '../../calling/telephony/tool-client.ts'
import { parseConfig } from '../../config.ts'
import { createKnownHosts } from '../../platform/http/host-check.ts'
import { seedChatWithToken } from '../support/chats-with-tokens.ts'
import { getWidgetId } from '../support/factories.ts'
import { secret, textResult, textSchema, useMcpWorld } from '../support/mcp.ts'
import { listenWithLimits, openConnection } from '../support/raw-connection.ts'
import { waitUntil } from '../support/wait.ts'

const aborted: string[] = []
let started = 0
let agentId: number
const service = useMcpWorld({
  echo: ({ args }) => textResult(String(args.text)),
  note: ({ dryRun }) => textResult(dryRun ? 'would note' : 'noted'),
  hang: ({ signal, args }) => {
    signal.addEventListener('abort', () => aborted.push(String(args.text)))
    started += 1
    return new Promise<never>(() => {})
  },
})
beforeAll(async () => {
  ;({ agentId } = await service.addAgent())
  await service.addTool(agentId, 'echo')
  await service.addTool(agentId, 'hang')
  await service.addTool(agentId, 'note', { kind: 'contact_note', schema: { type: 'object' } })
})

const unlimited = () => AbortSignal.timeout(10_000)
const portOf = (url: string) => ({ host: '127.0.0.1', port: Number(new URL(url).port) })

describe.each(['sse', 'streamable'] as const)('a tool client over %s', (transport) => {
  const open = async (token?: string) => {
    const widgetId = await getWidgetId(service.deps, agentId)
    const url = toolSessionUrl(service.url, { widgetId }, transport)
    return openToolClient(url, token ?? secret, unlimited())
  }
  const countClosed = () => service.logOutput().split('tool session closed').length

  it('lists the tools, and marks those that change nothing as read-only', async () => {
    const client = await open()
    expect(Object.fromEntries(client.tools)).toEqual({
      echo: { description: 'Does echo.', inputSchema: textSchema, isReadOnly: true },
      hang: { description: 'Does hang.', inputSchema: textSchema, isReadOnly: true },
      note: { description: 'Does note.', inputSchema: { type: 'object' }, isReadOnly: false },
    })
    await client.close()
  })

  it('returns the result of a tool call, and throws an error if the tool is unknown', async () => {
    const client = await open()
    expect(await client.call('echo', { text: 'hi' }, unlimited())).toEqual({ text: 'hi', isError: false })
    expect(await client.call('echo', {}, unlimited())).toMatchObject({ isError: true })
    await expect(client.call('missing', {}, unlimited())).rejects.toThrow('Unknown tool')
    await client.close()
  })

  it('cancels a tool call on the server, and can call other tools afterward', async () => {
    const client = await open()
    const text = `canceled over ${transport}`
    const interruption = new AbortController()
    const begun = started
    const calling = client.call('hang', { text }, interruption.signal)
    await waitUntil(() => started === begun + 1)
    interruption.abort()
    await expect(calling).rejects.toMatchObject({ name: 'AbortError' })
    await waitUntil(() => aborted.includes(text))
    expect(await client.call('echo', { text: 'on' }, unlimited())).toEqual({ text: 'on', isError: false })
    await client.close()
  })

  it('ends its session on the server when it is closed', async () => {
    const client = await open()
    const closed = countClosed()
    await client.close()
    await waitUntil(() => countClosed() > closed)
  })

  it('fails to open if the server rejects the credential or the signal has aborted', async () => {
    await expect(open('wrong')).rejects.toMatchObject({ code: 401 })
    const url = toolSessionUrl(service.url, { widgetId: 'x' }, transport)
    await expect(openToolClient(url, secret, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    })
  })
})

describe("this process's own tool server", () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:8787/api/mcp/'],
    ['0.0.0.0', 'http://127.0.0.1:8787/api/mcp/'],
    ['::', 'http://[::1]:8787/api/mcp/'],
    ['::1', 'http://[::1]:8787/api/mcp/'],
    ['192.0.2.7', 'http://192.0.2.7:8787/api/mcp/'],
    ['2001:db8::7', 'http://[2001:db8::7]:8787/api/mcp/'],
    ['outdial.internal', 'http://outdial.internal:8787/api/mcp/'],
  ])('with HOST=%s, has the URL %s, whose host the server accepts as its own', (host, url) => {
    const config = parseConfig({ HOST: host, PUBLIC_URL: 'https://calls.example.com' })
    const own = ownToolServerUrl(config)
    expect(own.href).toBe(url)
    expect(createKnownHosts(config)(own.host)).toBe(true)
  })

  it("from a client that uses a chat's tools, gets no request for a notification stream, but one that ends the session", async () => {
    const { token } = await seedChatWithToken(service.deps, { ...service.seed, agentId })
    const methods: (string | undefined)[] = []
    const listener = ({ method }: { method?: string }) => void methods.push(method)
    service.app.server.on('request', listener)
    const client = await openToolClient(ownToolServerUrl(portOf(service.url)), token, unlimited())
    expect(await client.call('note', {}, unlimited())).toEqual({ text: 'would note', isError: false })
    await client.close()
    service.app.server.off('request', listener)
    expect(methods).toEqual(['POST', 'POST', 'POST', 'POST', 'DELETE'])
  })

  it("accepts a chat's requests even if their address has reached its limit, but rejects an invalid token with 401", async () => {
    const { token } = await seedChatWithToken(service.deps, { ...service.seed, agentId })
    const { port } = await listenWithLimits(service.deps, { maxBodiesPerAddress: 1 })
    const url = ownToolServerUrl({ host: '127.0.0.1', port })
    const startOfForm =
      'POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n' +
      'Content-Length: 100\r\n\r\na='
    const first = await openConnection(port)
    first.write(startOfForm)
    const second = await openConnection(port)
    second.write(startOfForm)
    expect(await second.head()).toContain(' 429 ')
    const client = await openToolClient(url, token, unlimited())
    expect(client.tools.has('contact_note')).toBe(false)
    await client.close()
    await expect(openToolClient(url, `${token}x`, unlimited())).rejects.toMatchObject({
      code: 401,
    })
  })
})

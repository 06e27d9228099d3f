import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, it, jest } from '@jest/globals'
import { SessionRegistry } from '../../tools/mcp/session-registry.ts'
import type { ToolSession } from '../../tools/mcp/tool-session.ts'
import { openSocket, openSse, type RawSession, secret, textResult, useMcpWorld } from '../support/mcp.ts'
import { waitUntil } from '../support/wait.ts'

jest.setTimeout(60_000)
const service = useMcpWorld({ echo: () => textResult('here') })

it('limits an agent to 2,000 sessions and returns 429 until some are closed', async () => {
  const { agentId, widgetId } = await service.addAgent()
  const other = await service.addAgent()
  await service.addTool(agentId, 'echo')
  const sessions: RawSession[] = []
  const open = async () => {
    while (sessions.length < 2_000) {
      const batch = Array.from({ length: 40 }, () => openSse(service.url, { widget_id: widgetId }))
      sessions.push(...(await Promise.all(batch)))
    }
  }
  await open()
  const requestSession = () => fetch(`${service.url}/api/mcp/sse?widget_id=${widgetId}&token=${secret}`)
  const rejected = await requestSession()
  expect(rejected.status).toBe(429)
  expect(rejected.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await rejected.json()).toMatchObject({ error: { type: 'rate_limited', code: 'too_many_sessions' } })
  const listenerCounts = await listenersAfter(20, `/api/mcp/sse?widget_id=${widgetId}&token=${secret}`)
  expect(listenerCounts).toBe(await listenersAfter(1, '/nowhere'))
  const neighbor = await openSse(service.url, { widget_id: other.widgetId })

  expect((await sessions[1_234]?.call('echo', { text: 'x' }))?.result?.content?.[0]?.text).toBe('here')
  sessions.pop()?.close()
  await waitUntil(async () => {
    const response = await requestSession()
    await response.body?.cancel()
    return response.status === 200
  })
  for (const session of [...sessions, neighbor]) session.close()
})

/** Returns how many listeners wait for the end of a connection after `times` rejected requests on it. */
async function listenersAfter(times: number, path: string): Promise<number> {
  const accepted = once(service.app.server, 'connection') as Promise<[Socket]>
  const socket = openSocket(service.url)
  for (let requestNumber = 1; requestNumber <= times; requestNumber += 1) {
    socket.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await waitUntil(() => socket.received().split('HTTP/1.1 4').length - 1 === requestNumber)
  }
  const [serverSide] = await accepted
  const listeners = serverSide.listenerCount('end')
  socket.end()
  return listeners
}

it('limits the total number of sessions of all agents', () => {
  const registry = new SessionRegistry(10, 2)
  const session = (id: string) => ({ id, widgetId: id }) as ToolSession
  registry.add(session('a'))
  registry.requireCapacity('b')
  registry.add(session('b'))
  expect(() => registry.requireCapacity('c')).toThrow(
    'This service has 2 open sessions, which is the maximum.',
  )
  registry.remove(session('a'))
  registry.requireCapacity('c')
})

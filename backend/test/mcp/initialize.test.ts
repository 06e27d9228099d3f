import { beforeAll, expect, it } from '@jest/globals'
import { openSse, useMcpWorld } from '../support/mcp.ts'

let widgetId: string
const service = useMcpWorld()
beforeAll(async () => {
  widgetId = (await service.addAgent()).widgetId
})

const initialize = (id: string | number, protocolVersion: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: protocolVersion, version: '1' } },
})

it('sends each of several simultaneous clients its own response, even if they use the same request ID', async () => {
  const requests = [
    initialize(0, '2024-11-05'),
    { jsonrpc: '2.0', id: 0, method: 'ping' },
    initialize(0, '2025-06-18'),
    { jsonrpc: '2.0', id: 0, method: 'resources/list' },
    initialize('a', '2025-11-25'),
  ]
  const responses = await Promise.all(
    requests.map(async (request) => {
      const session = await openSse(service.url, { widget_id: widgetId })
      await session.post(request)
      const response = await session.next()
      session.close()
      return response
    }),
  )
  expect(responses).toMatchObject([
    { id: 0, result: { protocolVersion: '2024-11-05' } },
    { id: 0, result: {} },
    { id: 0, result: { protocolVersion: '2025-06-18' } },
    { id: 0, error: { code: -32601 } },
    { id: 'a', result: { protocolVersion: '2025-11-25' } },
  ])
})

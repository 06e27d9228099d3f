import { expect, it } from '@jest/globals'
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import { createSdkServer } from '../../mcp/sdk-server.ts'

const sdkServer = createSdkServer()
const sendMessage = (request: JSONRPCRequest) => sdkServer.request(request)

const initialize = (id: string | number, protocolVersion: string): JSONRPCRequest => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: protocolVersion, version: '1' } },
})

it('gives each of many that ask at once its own answer, though all use the same id', async () => {
  const responses = await Promise.all([
    sendMessage(initialize(0, '2024-11-05')),
    sendMessage({ jsonrpc: '2.0', id: 0, method: 'ping' }),
    sendMessage(initialize(0, '2025-06-18')),
    sendMessage({ jsonrpc: '2.0', id: 0, method: 'resources/list' }),
    sendMessage(initialize('a', '2025-11-25')),
  ])
  expect(responses).toMatchObject([
    { id: 0, result: { protocolVersion: '2024-11-05' } },
    { id: 0, result: {} },
    { id: 0, result: { protocolVersion: '2025-06-18' } },
    { id: 0, error: { code: -32601 } },
    { id: 'a', result: { protocolVersion: '2025-11-25' } },
  ])
})

import { expect, it } from '@jest/globals'
import { seedLiveCall } from '../support/factories.ts'
import { openSse, secret, startMcpService, textResult } from '../support/mcp.ts'
import { waitUntil } from '../support/wait.ts'

it('when the service stops, finishes in-flight tool calls, rejects new requests, and ends the streams', async () => {
  let finish = () => {}
  let started = false
  const service = await startMcpService({
    slow: () => {
      started = true
      return new Promise((resolve) => {
        finish = () => resolve(textResult('done'))
      })
    },
  })
  const { agentId, widgetId } = await service.addAgent()
  await service.addTool(agentId, 'slow')
  const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
  const session = await openSse(service.url, { widget_id: widgetId, call_id: call.attemptId })
  const result = session.call('slow', { text: 'x' })
  await waitUntil(() => started)
  const stopped = service.tools.close()
  expect((await session.post({ jsonrpc: '2.0', id: 2, method: 'ping' })).status).toBe(503)
  const rejected = await fetch(`${service.url}/api/mcp/sse?widget_id=${widgetId}&token=${secret}`)
  expect(rejected.status).toBe(503)
  expect(await rejected.json()).toMatchObject({ error: { code: 'unavailable' } })
  finish()
  expect((await result).result?.content?.[0]?.text).toBe('done')
  await stopped
  await session.ended
  const rows = await service.deps.db.selectFrom('tool_call').select('result').execute()
  expect(rows).toEqual([{ result: 'done' }])
  await service.close()
})

it("when the service stops, aborts and records tool calls that don't finish in time", async () => {
  let started = false
  const service = await startMcpService({
    hang: () => {
      started = true
      return new Promise(() => {})
    },
  })
  const { agentId, widgetId } = await service.addAgent()
  await service.addTool(agentId, 'hang')
  const call = await seedLiveCall(service.deps, { ...service.seed, agentId })
  const session = await openSse(service.url, { widget_id: widgetId, call_id: call.attemptId })
  const result = session.call('hang', { text: 'x' })
  await waitUntil(() => started)
  const stopped = service.tools.close(5_000)
  service.deps.clock.advance(5_000)
  expect((await result).result).toMatchObject({ isError: true })
  await stopped
  const rows = await service.deps.db.selectFrom('tool_call').select(['tool_name', 'is_error']).execute()
  expect(rows).toEqual([{ tool_name: 'hang', is_error: true }])
  await service.close()
})

it("doesn't open a session for a client that was being authorized when the service stopped", async () => {
  const service = await startMcpService()
  const { widgetId } = await service.addAgent()
  const before = service.queries()
  const opening = openSse(service.url, { widget_id: widgetId })
  await waitUntil(() => service.queries() > before)
  const stopped = service.tools.close()
  await expect(opening).rejects.toThrow(/^503 /)
  await stopped
  await service.close()
})

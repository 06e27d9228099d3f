import { expect, it } from '@jest/globals'
import { openSse, secret, textResult, useMcpWorld } from '../support/mcp.ts'

const service = useMcpWorld({ echo: ({ args }) => textResult(`You said ${String(args.text)}`) })

it("lists and calls an agent's tools, even if the client hasn't sent an initialize request", async () => {
  const { agentId, widgetId } = await service.addAgent()
  await service.addTool(agentId, 'echo')
  const session = await openSse(service.url, { widget_id: widgetId, token: secret }, {})
  expect(session.headers.get('content-type')).toBe('text/event-stream')
  expect(session.headers.get('cache-control')).toBe('no-cache, no-transform')
  expect(session.headers.get('x-accel-buffering')).toBe('no')
  const list = await session.request('tools/list')
  expect(list.result?.tools?.map(({ name }) => name)).toEqual(['echo'])
  const result = await session.call('echo', { text: 'hello' })
  expect(result.result).toEqual({ content: [{ type: 'text', text: 'You said hello' }] })
  session.close()
})

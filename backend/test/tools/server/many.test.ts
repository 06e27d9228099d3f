import { afterAll, beforeAll, expect, it, jest } from '@jest/globals'
import { openSse, type RawSession, secret, startTools, type TestTools, told, until } from './support.ts'

jest.setTimeout(60_000)
let service: TestTools
beforeAll(async () => {
  service = await startTools({ echo: () => told('here') })
})
afterAll(() => service.close())

it('gives one agent 2,000 sessions, and the next one 429 until some are closed', async () => {
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
  const knock = () => fetch(`${service.url}/api/mcp/sse?widget_id=${widgetId}&token=${secret}`)
  const refused = await knock()
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await refused.json()).toMatchObject({ error: { type: 'rate_limited', code: 'too_many_sessions' } })
  const neighbour = await openSse(service.url, { widget_id: other.widgetId })

  expect((await sessions[1_234]?.call('echo', { text: 'x' }))?.result?.content?.[0]?.text).toBe('here')
  sessions.pop()?.close()
  await until(async () => {
    const answer = await knock()
    await answer.body?.cancel()
    return answer.status === 200
  })
  for (const session of [...sessions, neighbour]) session.close()
})

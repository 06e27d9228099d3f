import { expect, it } from '@jest/globals'
import { createApp } from '../../app.ts'
import { startPeriodicJob } from '../../platform/core/periodic.ts'
import { startWorker } from '../../platform/core/worker.ts'
import { newProcessState } from '../../platform/http/health.ts'
import { createToolServer } from '../../tools/mcp/tool-server.ts'
import { testDeps } from '../support/deps.ts'
import { waitUntil } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

it("when a loop has stalled, responds to /readyz with 503 and the loop's name, but to /healthz with 200", async () => {
  const deps = testDeps(database.db)
  const silent = Promise.withResolvers<never[]>()
  const onError = () => {}
  const worker = startWorker(deps.clock, {
    ...{ name: 'dialer', concurrency: 1, batchSize: 1, pollMs: 1_000, stalledAfterMs: 1 },
    ...{ fetch: () => silent.promise, handle: async () => {}, onError },
  })
  const job = startPeriodicJob(deps.clock, { name: 'sweeper', intervalMs: 1_000, work: () => {}, onError })
  const state = { ...newProcessState(), loops: [...worker.loops, ...job.loops] }
  const app = await createApp(deps, createToolServer(deps), state)
  await waitUntil(() => (worker.loops[0]?.ageMs() ?? 0) > 1)
  const response = await app.inject('/readyz')
  expect([response.statusCode, response.json()]).toEqual([503, { status: 'stalled', loops: ['dialer'] }])
  expect((await app.inject('/healthz')).statusCode).toBe(200)
  silent.resolve([])
  await Promise.all([worker.stop(), job.stop(), app.close()])
})

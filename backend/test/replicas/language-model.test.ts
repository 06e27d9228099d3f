import { afterEach, expect, it } from '@jest/globals'
import pino from 'pino'
import { createMonitoringApp } from '../../app.ts'
import { minuteMs, secondMs } from '../../platform/core/durations.ts'
import { newProcessState } from '../../platform/http/health.ts'
import { startReplicaCheck } from '../../platform/replicas/replica-check.ts'
import { findLastSeen, recordReplica } from '../../platform/replicas/replica-store.ts'
import { newNodeId } from '../../platform/replicas/replicas.ts'
import { modelConfig } from '../support/chats.ts'
import { testDeps } from '../support/deps.ts'
import { waitFor, waitUntil } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
  await database.db.deleteFrom('replica').execute()
})
const database = useTestDatabase()

const withoutModel = { LLM_URL: '', LLM_MODELS: '' }

/** Starts a process with these settings. Returns its log and functions that check its health. */
async function startProcess(settings: Record<string, string>) {
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
  const deps = testDeps(database.db, { config: modelConfig(settings), log })
  const check = startReplicaCheck(deps)
  const app = createMonitoringApp(deps, { ...newProcessState(), lacksModel: check.lacksModel })
  stops.push(
    () => check.stop(),
    () => app.close(),
  )
  await waitFor(async () => (await findLastSeen(database.db, deps.replicas.nodeId)) !== undefined)
  return {
    lines,
    /** Advances the clock, and waits until the process has checked the other processes again. */
    pass: async (ms: number) => {
      await waitUntil(() => deps.clock.waiting > 0)
      deps.clock.advance(ms)
      await waitUntil(() => deps.clock.waiting > 0)
    },
    isReady: async () => {
      const response = await app.inject('/readyz')
      return [response.statusCode, response.json<{ status: string }>().status]
    },
  }
}

/** Records another process: with a model (true), without a model (false), or of an earlier version (null). */
async function recordOther(hasModel: boolean | null): Promise<string> {
  const id = newNodeId()
  await recordReplica(database.db, id, { role: 'worker', hasModel })
  return id
}

it("if another process has a language model, a worker's /readyz fails after two minutes without one", async () => {
  const worker = await startProcess({ ...withoutModel, ROLE: 'worker' })
  const other = await recordOther(true)
  await worker.pass(2 * secondMs)
  expect(worker.lines).toHaveLength(1)
  expect(worker.lines[0]).toContain("LLM_URL isn't set in this one")
  await worker.pass(2 * minuteMs - 1)
  expect(await worker.isReady()).toEqual([200, 'ok'])
  await worker.pass(2 * secondMs)
  expect(await worker.isReady()).toEqual([503, 'no_model'])
  expect(worker.lines).toHaveLength(1)

  await database.db.deleteFrom('replica').where('id', '=', other).execute()
  await worker.pass(2 * secondMs)
  expect(await worker.isReady()).toEqual([200, 'ok'])
})

it.each(['api', 'all'])(
  'a process with ROLE=%s and no model stays ready and only logs an error, because its other requests still succeed',
  async (role) => {
    const process = await startProcess({ ...withoutModel, ROLE: role })
    await recordOther(true)
    await process.pass(2 * secondMs)
    await process.pass(5 * minuteMs)
    expect(process.lines).toHaveLength(1)
    expect(await process.isReady()).toEqual([200, 'ok'])
  },
)

it.each<[string, Record<string, string>, boolean | null]>([
  ['neither process has a model', withoutModel, false],
  ['the other process runs an earlier version', withoutModel, null],
  ['both processes have a model', {}, true],
  ['only the worker has a model', {}, false],
])('a worker logs nothing and stays ready if %s', async (_title, settings, hasModel) => {
  const worker = await startProcess({ ...settings, ROLE: 'worker' })
  await recordOther(hasModel)
  await worker.pass(2 * secondMs)
  await worker.pass(5 * minuteMs)
  expect(worker.lines).toEqual([])
  expect(await worker.isReady()).toEqual([200, 'ok'])
})

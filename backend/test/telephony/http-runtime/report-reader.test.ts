import { expect, it } from '@jest/globals'
import type { Call } from '@outdial/contract'
import type { KyselyPlugin } from 'kysely'
import { insertReports } from '../../../calling/telephony/http-runtime/attempt-reports.ts'
import { createReportReader } from '../../../calling/telephony/http-runtime/report-reader.ts'
import { getCall, listEvents } from '../../support/calls.ts'
import { useHttpRuntimeWorld } from '../../support/http-runtime.ts'
import { waitFor, waitUntil } from '../../support/wait.ts'

const world = useHttpRuntimeWorld()
const { answered, ended, reportToBoth, startRinging } = world
const intervalMs = 250
const never = new AbortController().signal

const save = (attemptId: string, sequence: number) =>
  insertReports(world.deps.db, attemptId, [{ report: answered(sequence), changes: [] }])

/** Returns a plugin that delays the results of statements until the test releases them. */
function delayResults() {
  const delayed: (() => void)[] = []
  let isDelaying = true
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (isDelaying) await new Promise<void>((resolve) => delayed.push(resolve))
      return result
    },
  }
  return {
    plugin,
    delayed,
    letThrough: () => {
      isDelaying = false
      delayed.splice(0).forEach((resolve) => resolve())
    },
  }
}

it('completes a call as soon as its reports arrive, without waiting for the next poll', async () => {
  const { id, dialer, attemptId } = await startRinging()
  world.deps.notify.reportReceived = (reported) => dialer.reportReceived(reported)
  await reportToBoth(attemptId, answered(1))
  const isInProgress = async (): Promise<Call | false> => {
    const call = await getCall(world.deps, world.seed, id)
    return call.status === 'in_progress' && call
  }
  await waitFor(isInProgress)
  await reportToBoth(attemptId, ended(2))
  await waitFor(async () => (await listEvents(world.deps, id)).length === 1)
  expect(await getCall(world.deps, world.seed, id)).toMatchObject({
    status: 'completed',
    outcome: 'answered',
  })
})

it('without a notification, reads reports when the polling interval ends, and returns none if the read was aborted', async () => {
  const { attemptId } = await startRinging()
  await save(attemptId, 1)
  const reader = createReportReader(world.deps, intervalMs)
  const aborted = new AbortController()
  const reads = [reader.read(attemptId, never), reader.read(crypto.randomUUID(), aborted.signal)]
  aborted.abort()
  world.deps.clock.advance(intervalMs)
  expect((await Promise.all(reads)).map((reports) => reports.length)).toEqual([1, 0])
})

it('immediately reads reports that arrived during or after the last read', async () => {
  const { attemptId } = await startRinging()
  const { plugin, delayed, letThrough } = delayResults()
  const reader = createReportReader({ ...world.deps, db: world.deps.db.withPlugin(plugin) }, intervalMs)
  const first = reader.read(attemptId, never)
  reader.notify(attemptId)
  await waitUntil(() => delayed.length === 1)
  await save(attemptId, 1)
  reader.notify(attemptId)
  letThrough()
  expect(await first).toEqual([])
  expect(await reader.read(attemptId, never)).toHaveLength(1)
  // Saves a second report between the first read and the next.
  await save(attemptId, 2)
  reader.notify(attemptId)
  expect(await reader.read(attemptId, never)).toHaveLength(2)
})

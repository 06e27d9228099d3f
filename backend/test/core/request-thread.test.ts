import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { createRequestThread } from '../../platform/core/request-thread.ts'
import type { ExampleRequest } from '../support/example-thread.ts'

const createThread = (idleMs?: number) =>
  createRequestThread<ExampleRequest, number>(
    new URL('../support/example-thread.ts', import.meta.url),
    64,
    idleMs,
  )

it('handles other requests while one is waiting', async () => {
  const thread = createThread()
  const waiting = new AbortController()
  const waitingRequest = thread.send({ type: 'wait' }, waiting.signal)
  const values = [1, 2, 3]
  expect(await Promise.all(values.map((value) => thread.send({ type: 'double', value })))).toEqual([2, 4, 6])
  waiting.abort(new Error('enough'))
  await expect(waitingRequest).rejects.toThrow('enough')
})

it('keeps the event loop free while the thread is busy', async () => {
  const thread = createThread()
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const busy = thread.send({ type: 'keep busy', flag })
  await nextTurn()
  Atomics.store(flag, 0, 1)
  expect(await busy).toBe(0)
})

it("when a request's signal aborts, cancels the request in the thread", async () => {
  const thread = createThread()
  const canceling = new AbortController()
  const waitingRequest = thread.send({ type: 'wait' }, canceling.signal)
  canceling.abort()
  await expect(waitingRequest).rejects.toMatchObject({ name: 'AbortError' })
  expect(await thread.send({ type: 'count canceled' })).toBe(1)
  await expect(thread.send({ type: 'wait' }, AbortSignal.abort())).rejects.toMatchObject({
    name: 'AbortError',
  })
})

it('hides the environment variables of the process from the thread, except the folder of the compile cache', async () => {
  expect(await createThread().send({ type: 'count variables' })).toBe(0)
})

it('if the thread ends, fails its pending requests, and starts another thread for the next request', async () => {
  const thread = createThread()
  const requests = [thread.send({ type: 'wait' }), thread.send({ type: 'exit' })]
  for (const request of requests) await expect(request).rejects.toThrow('the thread ended')
  expect(await thread.send({ type: 'double', value: 4 })).toBe(8)
})

it('sends the next request to another thread while the idle thread is ending', async () => {
  const thread = createThread(1)
  for (const value of [1, 2, 3]) {
    expect(await thread.send({ type: 'double', value })).toBe(2 * value)
    await wait(1) // the timer that ends the thread started earlier, so it fires first
  }
})

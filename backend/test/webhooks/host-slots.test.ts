import { setImmediate } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { createHostSlots } from '../../webhooks/host-slots.ts'

const host = 'receiver.example.com'

/** Creates the slots of a host, in which 16 pieces of work can run at once. The test decides when each one ends. */
function useSlots() {
  const slots = createHostSlots({ perHost: 16, maxWaitMs: 60_000 })
  const running: { lane: string; end: () => void }[] = []
  const works: Promise<unknown>[] = []
  return {
    /** Asks for `count` slots. Resolves when the work that gets a slot immediately has started. */
    ask: async (lane: string, count: number) => {
      for (let number = 0; number < count; number += 1) {
        const { promise, resolve: end } = Promise.withResolvers<void>()
        works.push(
          slots.run(host, lane, () => {
            running.push({ lane, end })
            return promise
          }),
        )
      }
      await setImmediate()
    },
    /** Ends the lane's oldest work. */
    end: async (lane: string) => {
      const index = running.findIndex((each) => each.lane === lane)
      running.splice(index, 1)[0]?.end()
      await setImmediate()
    },
    runningOf: (lane: string) => running.filter((each) => each.lane === lane).length,
    endAll: async () => {
      while (running.length > 0) {
        running.pop()?.end()
        await setImmediate()
      }
      await Promise.all(works)
    },
  }
}

it("leaves half of a host's slots free even if one lane wants all of them", async () => {
  const { ask, end, runningOf, endAll } = useSlots()
  await ask('slow', 40)
  expect(runningOf('slow')).toBe(8)
  await end('slow')
  expect(runningOf('slow')).toBe(8)
  await endAll()
})

it('leaves a slot for a fifth lane even if four slow lanes take as many as they can', async () => {
  const { ask, runningOf, endAll } = useSlots()
  const slow = ['first', 'second', 'third', 'fourth']
  for (const lane of slow) await ask(lane, 40)
  expect(slow.map(runningOf)).toEqual([8, 4, 2, 1])
  await ask('sound', 1)
  expect(runningOf('sound')).toBe(1)
  await endAll()
})

it('as work ends, divides the slots evenly between two lanes, and keeps more than four of the 16 slots free', async () => {
  const { ask, end, runningOf, endAll } = useSlots()
  for (const lane of ['first', 'second']) await ask(lane, 40)
  for (let number = 0; number < 10; number += 1) for (const lane of ['first', 'second']) await end(lane)
  expect(runningOf('first') + runningOf('second')).toBeLessThan(12)
  expect(Math.abs(runningOf('first') - runningOf('second'))).toBeLessThanOrEqual(1)
  await endAll()
})

it('gives a free slot to the lane that uses the fewest slots, not to the lane that waits longest', async () => {
  const { ask, end, runningOf, endAll } = useSlots()
  for (const lane of ['a', 'b', 'c', 'd', 'e']) await ask(lane, 10)
  await ask('late', 1)
  expect(runningOf('late')).toBe(0)
  await end('a')
  expect(runningOf('late')).toBe(1)
  await endAll()
})

it('returns undefined if no slot becomes free in time', async () => {
  const slots = createHostSlots({ perHost: 1, maxWaitMs: 1 })
  const { promise, resolve: end } = Promise.withResolvers<void>()
  const first = slots.run(host, 'first', () => promise)
  expect(await slots.run(host, 'second', async () => 'done')).toBeUndefined()
  end()
  await first
})

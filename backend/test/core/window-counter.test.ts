import { expect, it } from '@jest/globals'
import { createWindowCounter } from '../../platform/core/window-counter.ts'
import { ManualClock } from '../support/clock.ts'

it("counts the events of each key in a window that starts with the key's first event", () => {
  const clock = new ManualClock()
  const counter = createWindowCounter(clock, { windowMs: 60_000 })
  const endsAt = clock.now().getTime() + 60_000

  expect(counter.add('a')).toEqual({ count: 1, endsAt })
  clock.advance(59_999)
  expect(counter.add('a')).toEqual({ count: 2, endsAt })
  expect(counter.add('b').count).toBe(1)
  clock.advance(1)
  expect(counter.add('a')).toEqual({ count: 1, endsAt: endsAt + 60_000 })
})

it('restarts the count of a key that was cleared', () => {
  const counter = createWindowCounter(new ManualClock(), { windowMs: 60_000 })
  counter.add('a')
  counter.clear('a')
  expect(counter.add('a').count).toBe(1)
})

it('if there are too many keys, forgets the one that was counted least recently', () => {
  const counter = createWindowCounter(new ManualClock(), { windowMs: 60_000, maxKeys: 2 })
  for (const key of ['a', 'b', 'a', 'c']) counter.add(key)
  expect(counter.add('a').count).toBe(3)
  expect(counter.add('b').count).toBe(1)
})

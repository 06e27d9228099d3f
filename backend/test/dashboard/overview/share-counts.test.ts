import { expect, it } from '@jest/globals'
import { maxUnsharedCalls, shareCounts } from '../../../dashboard/overview/share-counts.ts'
import { ManualClock } from '../../support/clock.ts'

const useCounts = () => {
  const clock = new ManualClock()
  const share = shareCounts<{ callCount: number; number: number }>(clock)
  let started = 0
  /** Asks for the counts, and returns which computation's result it got: 1 for the first, 2 for the second. */
  const view = async (callCount: number, { key = 'a', isCurrent = false } = {}) => {
    const { number } = await share(key, isCurrent, async () => {
      started += 1
      return { callCount, number: started }
    })
    return number
  }
  return { clock, share, view }
}

it('if there are few calls, counts them again for every page view', async () => {
  const { view } = useCounts()
  expect([await view(maxUnsharedCalls), await view(maxUnsharedCalls)]).toEqual([1, 2])
})

it('if there are many calls, page views with the same key share a count for 10 seconds', async () => {
  const { clock, view } = useCounts()
  const many = maxUnsharedCalls + 1
  expect([await view(many), await view(many), await view(many, { key: 'b' })]).toEqual([1, 1, 2])
  clock.advance(9_999)
  expect(await view(many)).toBe(1)
  clock.advance(1)
  expect([await view(many), await view(many)]).toEqual([3, 3])
})

it('page views at the same time share one count', async () => {
  const { view } = useCounts()
  expect(await Promise.all([view(1), view(1), view(1)])).toEqual([1, 1, 1])
  expect(await view(1)).toBe(2)
})

it('counts again for a page view that must be current, and shares that count with other page views', async () => {
  const { view } = useCounts()
  const many = maxUnsharedCalls + 1
  const slow = view(many)
  expect(await Promise.all([view(many, { isCurrent: true }), view(many), slow])).toEqual([2, 2, 1])
  expect(await view(many)).toBe(2)
})

it('after a count has failed, counts again for the next page view', async () => {
  const { share, view } = useCounts()
  await expect(share('a', false, () => Promise.reject(new Error('no connection')))).rejects.toThrow(
    'no connection',
  )
  expect(await view(1)).toBe(1)
})

import { describe, expect, it } from '@jest/globals'
import { createClaimInterval } from '../../calling/dialer/claim-interval.ts'

/** Starts a worker that claims calls at regular intervals, and returns the delay after each claim. */
function startWorker(otherWorkers = 0) {
  let time = 0
  const intervalMs = createClaimInterval(
    () => otherWorkers,
    () => time,
  )
  return (count: number, { everyMs, calls = 1, tookMs = 2 }: Claims) =>
    Array.from({ length: count }, () => {
      time += everyMs
      return intervalMs(calls, tookMs)
    })
}

interface Claims {
  everyMs: number
  calls?: number
  tookMs?: number
}

describe('a worker', () => {
  it('claims each call immediately while calls arrive slowly', () => {
    const claim = startWorker()
    expect(new Set(claim(100, { everyMs: 20 }))).toEqual(new Set([5]))
  })

  it('claims calls in groups while many arrive, and soon afterward claims each call immediately again', () => {
    const claim = startWorker()
    expect(claim(100, { everyMs: 5 }).at(-1)).toBe(25)
    expect(claim(1, { everyMs: 25, calls: 20 })).toEqual([25])
    expect(claim(1, { everyMs: 500 })).toEqual([5])
  })

  it('spends at most half of its time on claims if each claim finds only a few calls', () => {
    const claim = startWorker()
    expect(claim(1, { everyMs: 1_000, tookMs: 8 })).toEqual([16])
    expect(claim(1, { everyMs: 1_000, tookMs: 300 })).toEqual([320])
  })
})

describe('several workers', () => {
  it('claim calls in groups if many arrive in total, even if each worker gets few', () => {
    const claim = startWorker(3)
    expect(claim(100, { everyMs: 20 }).at(-1)).toBe(25)
  })

  it('claim each call immediately while calls arrive slowly', () => {
    const claim = startWorker(3)
    expect(new Set(claim(100, { everyMs: 80 }))).toEqual(new Set([5]))
  })
})

import { describe, expect, it } from '@jest/globals'
import { createReachability } from '../../../calling/telephony/http-runtime/reachability.ts'
import { ManualClock } from '../../support/clock.ts'

function setUp() {
  const clock = new ManualClock()
  const changes: string[] = []
  const reachability = createReachability({
    clock,
    random: () => 1,
    onUnreachable: () => void changes.push('unreachable'),
    onReachable: () => void changes.push('reachable'),
  })
  /** Waits until a call can be started, and returns the wait in milliseconds. */
  const waitUntilAllowed = () => {
    let waitedMs = 0
    while (reachability.limitCapacity(50) === 0) {
      clock.advance(500)
      waitedMs += 500
    }
    return waitedMs
  }
  return { ...reachability, changes, waitUntilAllowed }
}

const failure = new Error('the connection failed')

describe('the limit on calls to an unreachable runtime', () => {
  it('lasts twice as long after each failure, up to a minute, and then allows one call', () => {
    const { limitCapacity, startRequest, waitUntilAllowed } = setUp()
    expect(limitCapacity(50)).toBe(50)
    const delays = Array.from({ length: 8 }, () => {
      startRequest().fail(failure)
      return waitUntilAllowed() / 1000
    })
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
    expect(limitCapacity(50)).toBe(1)
    startRequest()
    expect(limitCapacity(50)).toBe(0)
  })

  it('counts several failures as one if their requests were in flight at the same time', () => {
    const { startRequest, waitUntilAllowed, changes } = setUp()
    const requests = Array.from({ length: 20 }, () => startRequest())
    for (const request of requests) request.fail(failure)
    expect(waitUntilAllowed()).toBe(1000)
    expect(changes).toEqual(['unreachable'])
  })

  it('ends after a successful request, unless the request began before the failure', () => {
    const { limitCapacity, startRequest, waitUntilAllowed, changes } = setUp()
    const early = startRequest()
    startRequest().fail(failure)
    early.succeed()
    expect(limitCapacity(50)).toBe(0)
    waitUntilAllowed()
    startRequest().succeed()
    expect(limitCapacity(50)).toBe(50)
    expect(changes).toEqual(['unreachable', 'reachable'])
  })
})

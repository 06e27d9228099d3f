import { createHash } from 'node:crypto'
import type { DialRequest } from '../provider.ts'
import { callbackRequest, interested, optOut, type Scenario, scenarios } from './scenarios.ts'

/** The way in which the simulated contact reacts to a call. */
type Behavior = 'answers' | 'no_answer' | 'busy' | 'voicemail' | 'declines' | 'fails'

/** Behavior by the last four digits of the phone number, for demos and tests. */
const behaviorBySuffix: Record<string, Behavior> = {
  '0100': 'answers',
  '0101': 'no_answer',
  '0102': 'busy',
  '0103': 'voicemail',
  '0104': 'declines',
  '0105': 'fails',
  '0106': 'answers',
}

/** How many of 32 phone numbers have each behavior, if their last four digits don't decide it. */
const behaviorWeights: readonly (readonly [Behavior, number])[] = [
  ['answers', 17],
  ['no_answer', 6],
  ['voicemail', 5],
  ['busy', 2],
  ['declines', 1],
  ['fails', 1],
]

/** Returns the scenario of a call. It's always the same for the same phone number and attempt. */
export function pickScenario(request: DialRequest): {
  behavior: Behavior
  scenario: Scenario
  ringSeconds: number
} {
  const seed = createHash('sha256').update(`${request.toNumber}:${request.number}`).digest()
  const digits = request.toNumber.slice(-4)
  const picked = scenarios[seed.readUInt8(1) % scenarios.length] ?? interested
  // A contact who asked to be called back doesn't ask for it again in the scheduled call.
  const suitable = picked === callbackRequest && request.scheduled ? interested : picked
  return {
    behavior: behaviorBySuffix[digits] ?? pickBehavior(seed.readUInt8(0) % 32),
    scenario: digits === '0100' ? interested : digits === '0106' ? optOut : suitable,
    ringSeconds: 3 + (seed.readUInt8(2) % 8),
  }
}

function pickBehavior(index: number): Behavior {
  let remaining = index
  for (const [behavior, weight] of behaviorWeights) {
    if (remaining < weight) return behavior
    remaining -= weight
  }
  return 'answers'
}

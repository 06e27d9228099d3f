import { createHash } from 'node:crypto'
import type { DialRequest } from '../provider.ts'
import { callBack, interested, optOut, type Scenario, scenarios } from './scenarios.ts'

/** What the called side does. */
type Part = 'talks' | 'rings' | 'busy' | 'voicemail' | 'declines' | 'fails'

/** The demo's numbers: the last digits decide. */
const parts: Record<string, Part> = {
  '0100': 'talks',
  '0101': 'rings',
  '0102': 'busy',
  '0103': 'voicemail',
  '0104': 'declines',
  '0105': 'fails',
  '0106': 'talks',
}

/** Any other number draws, roughly as people are: of 32, 17 answer. */
const lots: readonly (readonly [Part, number])[] = [
  ['talks', 17],
  ['rings', 6],
  ['voicemail', 5],
  ['busy', 2],
  ['declines', 1],
  ['fails', 1],
]

/** The scenario that a number and attempt always meet. */
export function castingOf(request: DialRequest): { part: Part; scenario: Scenario; ringSeconds: number } {
  const seed = createHash('sha256').update(`${request.toNumber}:${request.number}`).digest()
  const digits = request.toNumber.slice(-4)
  const drawn = scenarios[seed.readUInt8(1) % scenarios.length] ?? interested
  // Who asked to be called back has time then: nobody puts us off for ever.
  const met = drawn === callBack && request.scheduled ? interested : drawn
  return {
    part: parts[digits] ?? draw(seed.readUInt8(0) % 32),
    scenario: digits === '0100' ? interested : digits === '0106' ? optOut : met,
    ringSeconds: 3 + (seed.readUInt8(2) % 8),
  }
}

function draw(ticket: number): Part {
  let remaining = ticket
  for (const [part, share] of lots) {
    if (remaining < share) return part
    remaining -= share
  }
  return 'talks'
}

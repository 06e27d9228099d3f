import { createHash } from 'node:crypto'
import type { AgentResult, Extracted } from '@outdial/contract'
import type { DialRequest } from '../provider.ts'

/** Returns a value for each result of an agent. It's always the same for the same phone number. */
export const simulateResults = (results: readonly AgentResult[], { toNumber }: DialRequest): Extracted =>
  Object.fromEntries(results.map((result) => [result.name, simulateResult(result, toNumber)]))

function simulateResult({ name, type, choices }: AgentResult, toNumber: string): Extracted[string] {
  const seed = createHash('sha256').update(`${toNumber}:${name}`).digest().readUInt16BE(0)
  switch (type) {
    case 'text':
      return `Simulated ${name.replaceAll('_', ' ')}`
    case 'number':
      return 1 + (seed % 10)
    case 'yes_no':
      return seed % 2 === 0
    case 'choice':
      return choices[seed % choices.length] ?? null
  }
}

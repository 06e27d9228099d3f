import { createHash } from 'node:crypto'
import type { AgentResult, Extracted, TranscriptTurn } from '@outdial/contract'
import type { DialRequest } from '../provider.ts'

/**
 * Returns a value for each result of an agent. The values fit the conversation. The same number and conversation always get the
 * same values.
 */
export const simulateResults = (
  results: readonly AgentResult[],
  { toNumber }: Pick<DialRequest, 'toNumber'>,
  conversation: Conversation,
): Extracted =>
  Object.fromEntries(results.map((result) => [result.name, simulateResult(result, toNumber, conversation)]))

interface Conversation {
  goalMet: boolean
  transcript: readonly TranscriptTurn[]
}

function simulateResult(
  { name, type, choices }: AgentResult,
  toNumber: string,
  { goalMet, transcript }: Conversation,
): Extracted[string] {
  const seed = createHash('sha256').update(`${toNumber}:${name}`).digest().readUInt16BE(0)
  switch (type) {
    case 'text':
      return `Simulated ${name.replaceAll('_', ' ')}`
    case 'number':
      return 1 + (seed % 10)
    case 'yes_no':
      return goalMet
    case 'choice':
      return choices.find((choice) => isSaid(transcript, choice)) ?? choices[seed % choices.length] ?? null
  }
}

const isSaid = (transcript: readonly TranscriptTurn[], choice: string): boolean =>
  transcript.some(({ text }) => text.toLowerCase().includes(choice.toLowerCase()))

import { cutText } from '../../platform/core/text.ts'
import type { AnalyzedConversation } from '../conversation/model/analysis.ts'
import type { TurnRow } from './chat-store.ts'

type Entry = AnalyzedConversation['transcript'][number]

/** The conversation's requests have the same limit. */
const maxResultLength = 4_000

/** Returns what was said in a chat and what tools returned, for its analysis. Sentences that only bridge a pause are left out. */
export const toTranscript = (turns: readonly Pick<TurnRow, 'input' | 'parts'>[]): Entry[] =>
  turns.flatMap(({ input, parts }) => [
    ...(input?.type === 'speech' ? [{ role: 'contact' as const, text: input.text }] : []),
    ...(parts ?? []).flatMap(toEntries),
  ])

function toEntries(part: NonNullable<TurnRow['parts']>[number]): Entry[] {
  if (part.type === 'said') return part.isFiller === true ? [] : [{ role: 'agent', text: part.text }]
  // The results of slow tools come in later turns.
  if (!('result' in part) || part.result === null) return []
  return [{ role: 'tool', text: `${part.name}: ${cutText(part.result, maxResultLength)}` }]
}

import type { Deps } from '../../deps.ts'
import { findPassages, type FoundPassage, matchAllWords, matchAnyWord } from './knowledge-store.ts'

export type { FoundPassage } from './knowledge-store.ts'

/** How many words of a query the second search uses. */
const maxWords = 50

/** How many passages an agent gets. */
export const defaultPassageLimit = 3

/**
 * Finds the passages that match a query, best first: the passages with all of its words or, if there are none, with any of
 * them.
 *
 * @param query plain words, in any order
 */
export async function searchKnowledge(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  query: string,
  limit = defaultPassageLimit,
): Promise<FoundPassage[]> {
  const cleanQuery = query.replaceAll('\u0000', ' ').toWellFormed()
  // A dash before a word would exclude the word, which isn't what "-5 degrees" means.
  const allWordsQuery = matchAllWords(cleanQuery.replace(/(?<![\p{L}\p{N}])-+/gu, ' '))
  const allWordMatches = await findPassages(deps.db, workspaceId, allWordsQuery, limit)
  if (allWordMatches.length > 0) return allWordMatches

  const words = cleanQuery.match(/[\p{L}\p{N}]+/gu)?.slice(0, maxWords) ?? []
  return words.length === 0 ? [] : findPassages(deps.db, workspaceId, matchAnyWord(words), limit)
}

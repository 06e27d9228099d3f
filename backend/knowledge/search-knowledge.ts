import type { Deps } from '../deps.ts'
import { matchAllWords, matchAnyWord, findPassages, type FoundPassage } from './knowledge-store.ts'

/** Words of a question that are looked for where not all are found together. */
const maxWords = 50

/** Passages that an agent is given. */
export const defaultPassageLimit = 3

/**
 * The passages that answer a question best, the best first: those with all its words, else those with any.
 *
 * @param query plain words, in any order
 */
export async function searchKnowledge(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  query: string,
  limit = defaultPassageLimit,
): Promise<FoundPassage[]> {
  const cleanQuery = query.replaceAll('\u0000', ' ').toWellFormed()
  // A dash before a word would exclude it: "-5 degrees" asks for no other documents.
  const allWordsQuery = matchAllWords(cleanQuery.replace(/(?<![\p{L}\p{N}])-+/gu, ' '))
  const found = await findPassages(db, workspaceId, allWordsQuery, limit)
  if (found.length > 0) return found

  const words = cleanQuery.match(/[\p{L}\p{N}]+/gu)?.slice(0, maxWords) ?? []
  return words.length === 0 ? [] : findPassages(db, workspaceId, matchAnyWord(words), limit)
}

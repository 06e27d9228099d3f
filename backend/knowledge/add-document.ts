import type { Deps } from '../deps.ts'
import { inTransaction } from '../db/transaction.ts'
import { validateDocument } from './documents.ts'
import { splitIntoPassages } from './split-passages.ts'
import { type DocumentValues, insertDocument, replacePassages } from './knowledge-store.ts'

/**
 * Adds a document to what a workspace's agents know: plain text, paragraphs parted by blank lines.
 *
 * @throws {ApiError} validation_failed
 */
export const addDocument =
  (deps: Deps) =>
  async (workspaceId: number, input: DocumentValues): Promise<{ id: number }> => {
    const { title, body } = validateDocument(input)
    return inTransaction(deps, async ({ db, clock }) => {
      const { id } = await insertDocument(db, workspaceId, { title, body }, clock.now())
      await replacePassages(db, workspaceId, { id, title }, splitIntoPassages(body))
      return { id }
    })
  }

import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { validateDocument } from './documents.ts'
import { splitIntoPassages } from './split-passages.ts'
import { type DocumentValues, replacePassages, updateDocument } from './knowledge-store.ts'

/**
 * Edits a document; what is left out stays. Agents find the new text from then on, and the old no more.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const editDocument =
  (deps: Deps) =>
  async (workspaceId: number, documentId: number, edit: Partial<DocumentValues>): Promise<void> => {
    const values = validateDocument(edit)
    await inTransaction(deps, async ({ db, clock }) => {
      const document = await updateDocument(db, workspaceId, documentId, values, clock.now())
      if (document === undefined) throw documentNotFound()
      const { title, body } = document
      await replacePassages(db, workspaceId, { id: documentId, title }, splitIntoPassages(body))
    })
  }

export const documentNotFound = () => notFound('There is no such document in this workspace.')

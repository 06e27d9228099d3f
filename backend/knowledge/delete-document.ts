import type { Deps } from '../deps.ts'
import { documentNotFound } from './edit-document.ts'
import { deleteDocumentRow } from './knowledge-store.ts'

/**
 * Deletes a document with its passages.
 *
 * @throws {ApiError} not_found
 */
export const deleteDocument =
  ({ db }: Pick<Deps, 'db'>) =>
  async (workspaceId: number, documentId: number): Promise<void> => {
    if (!(await deleteDocumentRow(db, workspaceId, documentId))) throw documentNotFound()
  }

import type { Deps } from '../deps.ts'
import { documentNotFound } from './edit-document.ts'
import { findDocument, selectPassages } from '../dashboard/knowledge/knowledge-queries.ts'

export interface Document {
  id: number
  title: string
  body: string
  /** As agents find and quote it. */
  passages: string[]
  createdAt: Date
  updatedAt: Date
}

/** @throws {ApiError} not_found */
export const getDocument =
  ({ db }: Pick<Deps, 'db'>) =>
  async (workspaceId: number, documentId: number): Promise<Document> => {
    const document = await findDocument(db, workspaceId, documentId)
    if (document === undefined) throw documentNotFound()
    return { ...document, passages: await selectPassages(db, workspaceId, documentId) }
  }

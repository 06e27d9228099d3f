import type { Deps } from '../deps.ts'
import { type Page, toPage } from '../core/pagination.ts'
import { type DocumentSummary, selectDocuments } from '../dashboard/knowledge/knowledge-queries.ts'

/** What a workspace's agents know, the last edited first. Pages count from 1. */
export const listDocuments =
  ({ db }: Pick<Deps, 'db'>) =>
  async (
    workspaceId: number,
    { page, size }: { page: number; size: number },
  ): Promise<Page<DocumentSummary>> =>
    toPage(await selectDocuments(db, workspaceId, { limit: size + 1, offset: (page - 1) * size }), size)

import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { type Page, toPage } from '../../platform/core/pagination.ts'
import type { Db } from '../../platform/db/schema.ts'
import { documentNotFound } from '../../tools/knowledge/documents.ts'

/** A document with its size in characters and its number of passages. */
export type DocumentSummary = Awaited<ReturnType<typeof selectDocuments>>[number]

/** Returns documents, last edited first. */
const selectDocuments = (db: Db, workspaceId: number, { limit, offset }: { limit: number; offset: number }) =>
  db
    .selectFrom('knowledge_document as document')
    .select(['id', 'title', 'updated_at'])
    .select(sql<number>`length(document.body)`.as('size'))
    .select((document) =>
      document
        .selectFrom('knowledge_passage')
        .select(({ fn }) => fn.countAll<number>().as('passages'))
        .whereRef('knowledge_passage.document_id', '=', 'document.id')
        .$asScalar()
        .$notNull()
        .as('passages'),
    )
    .where('workspace_id', '=', workspaceId)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()

const findDocument = (db: Db, workspaceId: number, documentId: number) =>
  db
    .selectFrom('knowledge_document')
    .select(['id', 'title', 'body', 'updated_at'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', documentId)
    .executeTakeFirst()

/** Returns a document's passages, in order. */
async function selectPassages(db: Db, workspaceId: number, documentId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('knowledge_passage')
    .select('text')
    .where('workspace_id', '=', workspaceId)
    .where('document_id', '=', documentId)
    .orderBy('position')
    .execute()
  return rows.map(({ text }) => text)
}

/** A document, with the passages that agents find and quote. */
export type Document = Awaited<ReturnType<typeof getDocument>>

/** @throws {ApiError} not_found */
export async function getDocument({ db }: Pick<Deps, 'db'>, workspaceId: number, documentId: number) {
  const document = await findDocument(db, workspaceId, documentId)
  if (document === undefined) throw documentNotFound()
  return { ...document, passages: await selectPassages(db, workspaceId, documentId) }
}

/** Returns a page of a workspace's documents, last edited first. The first page is 1. */
export const listDocuments = async (
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  { page, size }: { page: number; size: number },
): Promise<Page<DocumentSummary>> =>
  toPage(await selectDocuments(db, workspaceId, { limit: size + 1, offset: (page - 1) * size }), size)

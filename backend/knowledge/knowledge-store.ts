import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/schema.ts'

export interface DocumentValues {
  title: string
  body: string
}

/** A passage that was found, with the title of its document. */
export interface FoundPassage {
  documentId: number
  title: string
  text: string
}

export const insertDocument = (
  db: Db,
  workspaceId: number,
  values: DocumentValues,
  now: Date,
): Promise<{ id: number }> =>
  db
    .insertInto('knowledge_document')
    .values({ workspace_id: workspaceId, ...values, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()

/** Undefined where there is no such document. Its row is locked until the transaction ends. */
export const updateDocument = (
  db: Db,
  workspaceId: number,
  documentId: number,
  values: Partial<DocumentValues>,
  now: Date,
): Promise<DocumentValues | undefined> =>
  db
    .updateTable('knowledge_document')
    .set({ ...values, updated_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', documentId)
    .returning(['title', 'body'])
    .executeTakeFirst()

export async function deleteDocumentRow(db: Db, workspaceId: number, documentId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('knowledge_document')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', documentId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Puts these passages in the place of a document's. Each is found by its document's title too. In a transaction. */
export async function replacePassages(
  db: Db,
  workspaceId: number,
  document: { id: number; title: string },
  passages: readonly string[],
): Promise<void> {
  await db
    .deleteFrom('knowledge_passage')
    .where('workspace_id', '=', workspaceId)
    .where('document_id', '=', document.id)
    .execute()
  if (passages.length === 0) return
  await db
    .insertInto('knowledge_passage')
    .values(
      passages.map((text, position) => ({
        workspace_id: workspaceId,
        document_id: document.id,
        position,
        text,
        search: sql<string>`setweight(to_tsvector('english', ${document.title}), 'A')
          || setweight(to_tsvector('english', ${text}), 'B')`,
      })),
    )
    .execute()
}

/** All words of a web search: "quotes" and `or` mean what they do there. */
export const matchAllWords = (query: string): RawBuilder<string> =>
  sql<string>`websearch_to_tsquery('english', ${query})`

/** Any of the words. They must be letters and digits alone. */
export const matchAnyWord = (words: readonly string[]): RawBuilder<string> =>
  sql<string>`to_tsquery('english', ${words.join(' | ')})`

/** The passages that match, the best first. */
export const findPassages = (
  db: Db,
  workspaceId: number,
  query: RawBuilder<string>,
  limit: number,
): Promise<FoundPassage[]> =>
  db
    .selectFrom('knowledge_passage as passage')
    .innerJoin('knowledge_document as document', (join) =>
      join
        .onRef('document.id', '=', 'passage.document_id')
        .onRef('document.workspace_id', '=', 'passage.workspace_id'),
    )
    .select(['document.id as documentId', 'document.title', 'passage.text'])
    .where('passage.workspace_id', '=', workspaceId)
    .where(sql<boolean>`passage.search @@ ${query}`)
    .orderBy(sql`ts_rank_cd(passage.search, ${query})`, 'desc')
    .orderBy('passage.id')
    .limit(limit)
    .execute()

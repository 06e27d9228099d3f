import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'

export interface DocumentValues {
  title: string
  body: string
}

/** A search result: a passage with the title of its document. */
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

/** Updates a document and locks its row until the transaction ends. Returns undefined if it doesn't exist. */
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

/** Replaces a document's passages. Each can also be found by the document's title. Call it in a transaction. */
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

/** Returns a search query that matches all words. Quotes and `or` work as in a web search. */
export const matchAllWords = (query: string): RawBuilder<string> =>
  sql<string>`websearch_to_tsquery('english', ${query})`

/** Returns a search query that matches any of the words, which must contain only letters and digits. */
export const matchAnyWord = (words: readonly string[]): RawBuilder<string> =>
  sql<string>`to_tsquery('english', ${words.join(' | ')})`

/** Finds the passages that match a query, best first, with the database's function `find_passages`. */
export const findPassages = async (
  db: Db,
  workspaceId: number,
  query: RawBuilder<string>,
  limit: number,
): Promise<FoundPassage[]> => {
  const { rows } = await sql<FoundPassage>`
    select document.id as "documentId", document.title, passage.text
    from find_passages(${workspaceId}, ${query}, ${limit}) as found
    join knowledge_passage as passage on passage.id = found.passage_id
    join knowledge_document as document
      on document.id = passage.document_id and document.workspace_id = passage.workspace_id
    where passage.workspace_id = ${workspaceId}
    order by found.rank desc, passage.id`.execute(db)
  return rows
}

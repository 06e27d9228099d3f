import { sql } from 'kysely'
import { isContactOnDoNotCallList } from '../../calls/suppress-store.ts'
import type { Db } from '../../db/schema.ts'
import { contactColumns } from '../../contacts/contact-queries.ts'

/** More columns than anybody reads. */
const maxVariableColumns = 500

export async function selectVariableNames(db: Db, workspaceId: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct key as name from contact cross join jsonb_object_keys(variables) key
    where workspace_id = ${workspaceId} and erased_at is null
    order by 1 limit ${maxVariableColumns}`.execute(db)
  return rows.map(({ name }) => name)
}

export type ExportedContact = Awaited<ReturnType<typeof findContactsToExport>>[number]

export const findContactsToExport = (db: Db, workspaceId: number, page: { after: number; limit: number }) =>
  db
    .selectFrom('contact')
    .select([...contactColumns, 'consent_source', 'consent_at', isContactOnDoNotCallList.as('is_refused')])
    .where('workspace_id', '=', workspaceId)
    .where('erased_at', 'is', null)
    .where('id', '>', page.after)
    .orderBy('id')
    .limit(page.limit)
    .execute()

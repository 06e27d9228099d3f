import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'

/** The calls and contacts that undoing an import affects. */
export interface ImportEffects {
  /** Waiting calls of the import. */
  waiting: number
  /** Calls of the import that were placed at least once and don't wait. */
  placed: number
  created: number
  changed: number
}

/** Counts the calls that an import queued, and the contacts that it created or changed. */
export async function countImportEffects(
  db: Db,
  workspaceId: number,
  importId: number,
): Promise<ImportEffects> {
  const ofImport = sql`workspace_id = ${workspaceId} and import_id = ${importId}`
  const { rows } = await sql<ImportEffects>`
    select waiting, placed, created, changed
    from (
      select count(*) filter (where status = 'queued') as waiting,
        count(*) filter (where status in ('dialing', 'in_progress') or status = 'completed' and attempts > 0) as placed
      from call where ${ofImport}
    ) as calls
    cross join (
      -- If a second row of the file changed a contact that the import created, the contact counts only as created.
      select count(*) filter (where is_created) as created, count(*) filter (where not is_created) as changed
      from (
        select bool_or(kind = 'created') as is_created from contact_change where ${ofImport} group by contact_id
      ) as of_contact
    ) as contacts`.execute(db)
  const [effects] = rows
  if (effects === undefined) throw new Error('invariant: counts are one row')
  return effects
}

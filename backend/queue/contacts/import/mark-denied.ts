import { sql } from 'kysely'
import type { Db } from '../../../platform/db/schema.ts'
import type { ImportColumn } from './import-columns.ts'
import type { ImportJob } from './import-store.ts'
import { shortenColumn } from './row-issue.ts'

/** Maps the number of a person who said no to consent in a row that isn't imported to the position of the last such row. */
type DeniedNumbers = ReadonlyMap<string, number>

/**
 * Applies the No of a row that isn't imported to the other rows with its number. Their contacts are saved without consent, and
 * not called. Call it once all rows are saved, because an earlier row can say yes.
 */
export async function markDenied(
  db: Db,
  job: ImportJob,
  denied: DeniedNumbers,
  columns: readonly ImportColumn[],
): Promise<void> {
  if (denied.size === 0) return
  const column = shortenColumn(columns.find(({ field }) => field === 'consent_given')?.header ?? '')
  const rows = [...denied].map(([phone_number, position]) => {
    const message = `Row ${position} says No. The contact is saved, but not called.`
    return { phone_number, issue: { column, message, kind: 'no_consent' } }
  })
  await sql`
    update contact_import_row as imported
    set fields = imported.fields - 'consent' || '{"consent_denied": true}', issues = imported.issues || denied.issue
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as denied (phone_number text, issue jsonb)
    where imported.import_id = ${job.id} and imported.phone_number = denied.phone_number
      and imported.state in ('new', 'existing')
      and not imported.fields @> '{"consent_denied": true}' and not imported.fields @> '{"do_not_call": true}'`.execute(
    db,
  )
}

import { expect, it } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { findCallsToExport } from '../../dashboard/calls/call-list-queries.ts'
import { selectRejectedRows, selectRowsWithIssues } from '../../dashboard/contacts/contact-import-queries.ts'
import { findContactsToExport } from '../../dashboard/contacts/contact-queries.ts'
import { selectSpreadsheetRows } from '../../tools/spreadsheets/spreadsheet-store.ts'
import { seedCall } from '../support/calls.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { useServiceWorld } from '../support/service.ts'

const world = useServiceWorld()

const rowCount = 60
/** A text so long that 60 rows with it fill three pages or more. */
const text = 'x'.repeat(50_000)

/** Fills a workspace with large contacts, calls, rows of an import, and rows of a spreadsheet. */
async function seedLargeRows() {
  const { db } = world.database
  const user = await seedSignedInOwner(world.service)
  const { workspaceId } = user.seed
  for (let index = 0; index < rowCount; index += 1)
    await seedCall(world.service.deps, user.seed, `+120255501${String(index).padStart(2, '0')}`)
  await db
    .updateTable('contact')
    .set({ variables: JSON.stringify({ text }) })
    .where('workspace_id', '=', workspaceId)
    .execute()
  await db
    .updateTable('call')
    .set({ metadata: JSON.stringify({ text }) })
    .where('workspace_id', '=', workspaceId)
    .execute()
  const { id } = await db
    .insertInto('contact_import')
    .values({
      ...{ workspace_id: workspaceId, user_id: null, file_name: 'leads.csv', bytes: null, status: 'checked' },
      ...{ columns: JSON.stringify([{ header: 'Phone', field: 'phone_number', variable: null }]) },
      ...{ created_at: new Date(), expires_at: new Date(Date.now() + 86_400_000) },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await sql`
    insert into contact_import_row (import_id, position, fields, state, on_do_not_call_list, issues, cells)
    select ${id}, position, '{}', 'invalid', false, ${JSON.stringify([{ column: '', message: text }])}::jsonb, '["12"]'
    from generate_series(1, ${rowCount}::int) as position`.execute(db)
  await db
    .insertInto('spreadsheet')
    .values({
      workspace_id: workspaceId,
      id: 'large',
      name: 'Large',
      columns: ['Text'],
      created_at: new Date(),
    })
    .execute()
  await sql`
    insert into spreadsheet_row (workspace_id, spreadsheet_id, cells, created_at)
    select ${workspaceId}, 'large', array[${text}], now() from generate_series(1, ${rowCount}::int)`.execute(
    db,
  )
  return { user, importId: id }
}

it('reads the rows of an export in pages of about a megabyte, and exports every row', async () => {
  const { user, importId } = await seedLargeRows()
  const { db } = world.database
  const { workspaceId } = user.seed
  const page = { after: 0, limit: 1_000 }
  const pages = [
    await findContactsToExport(db, workspaceId, { ...page, importId: null }),
    await findCallsToExport(db, workspaceId, {}, { before: undefined, limit: 1_000 }),
    await selectRowsWithIssues(db, workspaceId, importId, page),
    await selectRejectedRows(db, workspaceId, importId, page),
    await selectSpreadsheetRows(db, workspaceId, 'large', page),
  ]
  for (const { length } of pages) {
    expect(length).toBeGreaterThan(15)
    expect(length).toBeLessThan(25)
  }
  for (const path of [
    '/contacts/export',
    '/calls/export',
    `/contacts/import/${importId}/issues`,
    `/contacts/import/${importId}/rejected`,
    '/spreadsheets/large/csv',
  ]) {
    const response = await fetch(user.urlFor(path), {
      headers: { cookie: user.browser.cookies().join('; ') },
    })
    const records = parse(await response.text())
    expect([path, records.length]).toEqual([path, rowCount + 1])
  }
})

it('exports rows even if each is larger than a page of a megabyte', async () => {
  const user = await seedSignedInOwner(world.service)
  await seedCall(world.service.deps, user.seed, '+12025550101')
  await seedCall(world.service.deps, user.seed, '+12025550102')
  await world.database.db
    .updateTable('contact')
    .set({ variables: JSON.stringify({ text: 'x'.repeat(2 * 1024 * 1024) }) })
    .where('workspace_id', '=', user.seed.workspaceId)
    .execute()
  const response = await fetch(user.urlFor('/contacts/export'), {
    headers: { cookie: user.browser.cookies().join('; ') },
  })
  expect(parse(await response.text())).toHaveLength(3)
})

import { beforeAll, expect, it } from '@jest/globals'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { doNotCallSettings } from '../../platform/db/do-not-call-settings.ts'
import type { Database } from '../../platform/db/schema.ts'
import { hashRequest, respondOnce } from '../../platform/idempotency/idempotency.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { eraseFromImport } from '../../queue/contacts/import/erase-from-import.ts'
import { leaseImports } from '../../queue/contacts/import/import-store.ts'
import { uploadContacts } from '../../queue/contacts/import/imports.ts'
import { addContact, toCaller } from '../support/calls.ts'
import { asSuperuser, doNotCallKey } from '../support/database.ts'
import { testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { useTestDatabase } from '../support/world.ts'

// The columns that can identify a contact or contain what they said are read from the database. The columns that are erased are
// read from the statements of an erasure. This file lists the remaining columns, with the reason.

const exceptions: Record<string, string> = {
  'api_request.client_id': 'an app',
  'api_request.client_version': 'what an app calls itself, in 64 characters; deleted after 14 days',
  'api_request.error_code': 'a fixed set of values',
  'api_request.field_codes': 'a fixed set of values',
  'api_request.fields': "names of fields; those that can contain a number or an address aren't stored",
  'api_request.method': 'a fixed set of values',
  'api_request.request_id': 'a random ID, or one that the client chose; deleted after 14 days',
  'api_request.route': 'the pattern of a path',
  'call.from_number': 'a number of the workspace',
  'call.sentiment': 'a fixed set of values',
  'call_attempt.ended_reason': 'a fixed set of values',
  'call_attempt.outcome': 'a fixed set of values',
  'call.delayed_by': 'a fixed set of values',
  'call_attempt.provider': 'the name of a telephony provider',
  'call_callback.client_id': 'an app',
  'call_rules.changed_by': 'a member',
  'call_rules.closed_dates': 'days',
  'call_rules.countries': 'codes of countries',
  'campaign_queue.limited_by': 'a fixed set of values',
  'contact_change.fields': 'names of columns',
  'conversation_turn.input': 'deleted with its chat',
  'conversation_turn.messages': 'deleted with its chat',
  'conversation_turn.parts': 'deleted with its chat',
  'contact_import.undo_counts': 'numbers, and a fixed set of keys',
  'contact_import.undone_by': 'a member',
  'contact_import_mapping.columns': 'a fixed set of values',
  'contact_import_mapping.headers_hash': 'a hash of the names of columns',
  'delivery_attempt.error': 'a status code or network error, never a body',
  'do_not_call.number_hash': 'an HMAC, which must stay so that the number is not called again',
  'do_not_call_removal.number_hash': 'an HMAC',
  'do_not_call_removal.source': 'a fixed set of values',
  'event.unmatched': 'IDs of subscriptions, and a fixed set of values',
  'event.type': 'a fixed set of values',
  'idempotent_response.body_hash': 'a hash of the request; deleted after a day',
  'idempotent_response.scope_hash': 'a hash of the key; deleted after a day',
  'limit_use.period': 'a day',
  'number_use.number_hash':
    'an HMAC, which must stay so that the number is not called too often; deleted after 30 days',
  'number_use.placed_at': 'times of call attempts, which must stay, too',
  'spreadsheet_row.spreadsheet_id': 'a random ID',
  'tool_call.tool_name': 'the name of a tool',
  'webhook_delivery.event_id': 'a random ID',
}

/** Tables without data about contacts. None of them may refer to a contact, a call, or an attempt. */
const otherTables: Record<string, string> = {
  agent: 'configuration',
  agent_version: 'configuration, and the member who saved it',
  api_key: 'a credential of a user',
  app_user: 'the account of a user',
  campaign: 'configuration',
  credential: 'a credential of a user or an app',
  former_member: 'a user',
  google_account: 'configuration',
  invitation: 'for a future user',
  knowledge_document: 'written by members for all contacts',
  knowledge_passage: 'a part of a knowledge document',
  mcp_tool: 'configuration',
  membership: 'of a user',
  model_health: 'language models that failed',
  model_usage: 'numbers of tokens',
  oauth_client: 'an app',
  oauth_grant: 'an authorization by a user',
  oauth_payload: 'state of a sign-in of a user',
  password_reset: 'of a user',
  phone_number: 'a number of the workspace',
  replica: 'a process of the installation',
  schema_function: 'names of functions',
  schema_migration: 'names of migrations',
  server_secret: 'keys of the installation',
  session: 'of a user',
  spreadsheet: 'names of the spreadsheet and its columns',
  webhook_subscription: 'where an app wants events',
  widget_tool: 'configuration',
  workspace: 'configuration',
}

const database = useTestDatabase()
let erased: { columns: Set<string>; tables: Set<string> }
beforeAll(async () => {
  erased = await recordErasure()
})

/** Erases a contact, also from an import. Returns the columns that were set, and the tables from which rows were deleted. */
async function recordErasure(): Promise<typeof erased> {
  const statements: string[] = []
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  const pool = new pg.Pool({ connectionString: database.url, max: 1, types })
  pool.on('connect', (client) => {
    // `pool.end()` resolves before its connections are closed. Dropping the database then causes errors, which are ignored.
    client.on('error', () => {})
    void client.query(doNotCallSettings(doNotCallKey))
  })
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void statements.push(query.sql),
  })
  const deps = testDeps(database.db)
  const seed = await seedWorkspace(deps)
  const caller = toCaller(seed)
  const body = { phone_number: '+12025550173', campaign_id: seed.campaignId, first_name: 'Zelda' }
  const request = hashRequest({ caller, method: 'POST', path: '/contacts', key: 'once', body })
  await respondOnce(deps, seed.workspaceId, request, async (tx) => ({
    status: 201,
    body: await addContact(tx, caller, body),
  }))
  const bytes = Buffer.from('Phone\n+12025550173\n')
  const file = { name: 'leads.csv', bytes, isTooLarge: false }
  const importId = await uploadContacts(deps, { workspaceId: seed.workspaceId, userId: seed.userId }, file)
  await database.db
    .insertInto('contact_import_row')
    .values({ import_id: importId, position: 2, state: 'invalid', issues: '[{}]' })
    .execute()
  const { id: contactId } = await database.db.selectFrom('contact').select('id').executeTakeFirstOrThrow()
  try {
    await eraseContact({ ...deps, db }, seed.workspaceId, contactId)
    const [job] = await leaseImports(db, 1)
    if (job === undefined) throw new Error('no import to erase the contact from')
    await eraseFromImport({ ...deps, db }, job, new AbortController().signal, { everything: true })
  } finally {
    await db.destroy()
  }

  const columns = new Set<string>()
  const tables = new Set<string>()
  for (const statement of statements.map((text) => text.replaceAll('"', ''))) {
    for (const [, table = ''] of statement.matchAll(/delete\s+from\s+(\w+)/g)) tables.add(table)
    for (const [, table = '', set = ''] of statement.matchAll(
      /update\s+(\w+)\s+set\s(.*?)(?=\swhere\s|$)/gs,
    )) {
      for (const [, column = ''] of set.matchAll(/(?:^|,)\s*(\w+)\s+?=/g)) columns.add(`${table}.${column}`)
    }
  }
  return { columns, tables }
}

/**
 * Finds columns without an eraser. Looks at all columns that can contain text, JSON, or bytes, except keys, generated
 * columns, and those that a check limits to a list of values.
 */
async function findColumnsWithoutEraser(): Promise<string[]> {
  const { rows } = await sql<{ tableName: string; columnName: string; refersToContact: boolean }>`
    with recursive related as (
      select 'contact'::regclass::oid as id
      union
      select con.conrelid from pg_constraint con join related on con.confrelid = related.id
      where con.contype = 'f'
    )
    select tbl.relname as "tableName", col.attname as "columnName",
      tbl.oid in (select id from related) as "refersToContact"
    from pg_class tbl
    join pg_attribute col on col.attrelid = tbl.oid and col.attnum > 0 and not col.attisdropped
    where tbl.relnamespace = 'public'::regnamespace and tbl.relkind in ('r', 'p') and not tbl.relispartition and col.attgenerated = ''
      and col.atttypid not in (
        'int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'bool'::regtype, 'uuid'::regtype, 'timestamptz'::regtype
      )
      and not exists (
        select from pg_constraint con where con.conrelid = tbl.oid and con.conkey = array[col.attnum] and (
          con.contype = 'p' or con.contype = 'c' and pg_get_constraintdef(con.oid) ~ '= ANY \\(ARRAY'
        )
      )
    order by 1, 2`.execute(database.db)
  return rows
    .filter(({ tableName, columnName, refersToContact }) => {
      const column = `${tableName}.${columnName}`
      if (erased.columns.has(column) || erased.tables.has(tableName) || column in exceptions) return false
      return refersToContact || !(tableName in otherTables)
    })
    .map(({ tableName, columnName }) => `${tableName}.${columnName}`)
}

it('every column that can contain data about a contact has an eraser', async () => {
  expect(erased.columns.size).toBeGreaterThan(20)
  expect(await findColumnsWithoutEraser()).toEqual([])
})

it('every table and column listed as an exception exists, and none of the columns has an eraser', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'
    union all
    select table_name from information_schema.tables where table_schema = 'public'`.execute(database.db)
  const names = new Set(rows.map(({ name }) => name))
  const listed = [...Object.keys(exceptions), ...Object.keys(otherTables)]
  expect(listed.filter((name) => !names.has(name) || erased.columns.has(name))).toEqual([])
})

it('the check for missing erasers finds columns in an existing table, a new table, and a table unrelated to contacts', async () => {
  await asSuperuser(database.db, (db) =>
    sql`create table contact_photo (contact_id bigint references contact, caption text)`.execute(db),
  )
  await asSuperuser(database.db, (db) => sql`create table caption (photo_id bigint, body jsonb)`.execute(db))
  await asSuperuser(database.db, (db) =>
    sql`alter table call add column voice bytea, add column born date`.execute(db),
  )
  try {
    expect(await findColumnsWithoutEraser()).toEqual([
      'call.born',
      'call.voice',
      'caption.body',
      'contact_photo.caption',
    ])
  } finally {
    await asSuperuser(database.db, (db) => sql`drop table contact_photo, caption`.execute(db))
    await asSuperuser(database.db, (db) =>
      sql`alter table call drop column voice, drop column born`.execute(db),
    )
  }
})

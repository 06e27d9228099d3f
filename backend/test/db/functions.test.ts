import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { functionVersionFile, generateFunctionVersion } from '../../../scripts/function-version.ts'
import { functionsFolder, readFunctionVersion } from '../../platform/db/apply-functions.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

/** The signatures of all functions. They never change: a function with other parameters or another result gets a new name. */
const signatures = [
  'attempt_end_lock(campaign bigint) → bigint',
  'call_settings(campaign campaign, agent agent, contact contact) → jsonb',
  'contact_lock(workspace bigint, phone_number text) → bigint',
  'current_workspace_id() → bigint',
  'dequeue_deleted_campaign() → trigger',
  'do_not_call_hmac(message bytea) → bytea',
  'enqueue_campaign() → trigger',
  'enqueue_campaign_of_call() → trigger',
  'enqueue_campaigns_of_agent() → trigger',
  'enqueue_campaigns_of_attempt() → trigger',
  'enqueue_campaigns_of_number() → trigger',
  'find_passages(workspace bigint, query tsquery, max_count integer) → TABLE(passage_id bigint, rank real)',
  'find_session_role(hash bytea, workspace bigint, at timestamp with time zone) → text',
  'has_capacity(checked_campaign_id bigint) → boolean',
  'has_claimable_call(checked_campaign_id bigint, at timestamp with time zone) → boolean',
  'is_calling(checked_campaign_id bigint) → boolean',
  'is_listed(workspace bigint, phone_number text) → boolean',
  'iso_time(at timestamp with time zone) → text',
  'lock_contacts(workspace bigint, numbers text[], with_variables boolean[], waits boolean) → TABLE(phone_number text, contact_id bigint, is_busy boolean, time_zone text, variable_names text[], is_listed boolean)',
  'lock_session(hash bytea) → boolean',
  'log_contact_change() → trigger',
  'log_created_contacts() → trigger',
  'look_up_number(workspace bigint, phone_number text) → jsonb',
  'number_hash(workspace bigint, phone_number text) → bytea',
  'protect_table(IN protected regclass, IN workspace_rows text, IN workspace_privileges text)',
  'queue_calls(workspace bigint, at timestamp with time zone, calls call_request[]) → SETOF queued_call',
  'queued_call_lock(campaign bigint) → bigint',
  'salted_number_hash(salt bytea, phone_number text) → bytea',
  'settle_campaigns(campaign_ids bigint[], served_ids bigint[], at timestamp with time zone) → void',
  'unknown_results(agent bigint, version integer) → jsonb',
  'upsert_contacts(workspace bigint, at timestamp with time zone, contacts contact_values[]) → TABLE(contact_id bigint, phone_number text, created boolean)',
]

it('the saved version of the SQL functions is current: run `npm run generate` if this fails', async () => {
  expect(readFileSync(functionVersionFile, 'utf8')).toBe(await generateFunctionVersion())
})

it("each SQL function is defined exactly once, and each file ends with the function that it's named after", async () => {
  const { hashes } = await readFunctionVersion()
  const found = Object.keys(hashes).map((name) => {
    const text = readFileSync(path.join(functionsFolder, `${name}.sql`), 'utf8')
    const names = [...text.matchAll(/^create or replace function (\w+)/gm)].map(([, each = '']) => each)
    expect(names.at(-1)).toBe(name)
    return names
  })
  const { rows } = await sql<{ name: string }>`
    select proname as name from pg_proc where pronamespace = 'public'::regnamespace`.execute(database.db)
  // Migrations define these two functions.
  const ofMigrations = ['current_workspace_id', 'protect_table']
  expect([...found.flat(), ...ofMigrations].sort()).toEqual(rows.map(({ name }) => name).sort())
})

it("a function's parameters and result never change, because old and new versions of Outdial call the same function", async () => {
  const { rows } = await sql<{ signature: string }>`
    select proname || '(' || pg_get_function_identity_arguments(oid) || ')'
      || coalesce(' → ' || pg_get_function_result(oid), '') as signature
    from pg_proc where pronamespace = 'public'::regnamespace order by 1`.execute(database.db)
  expect(rows.map(({ signature }) => signature)).toEqual(signatures)
})

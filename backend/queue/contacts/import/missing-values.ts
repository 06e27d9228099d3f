import { sql } from 'kysely'
import { getOwn } from '../../../platform/core/records.ts'
import type { Db } from '../../../platform/db/schema.ts'
import { findNeededNames } from '../../calls/greeting.ts'
import { matchVariables } from '../agent-variables.ts'
import { ImportColumns } from './import-columns.ts'

/** A name that a campaign's greeting needs, and how many contacts of a file have no value for it. */
export interface MissingValue {
  campaignId: number
  campaign: string
  name: string
  contacts: number
}

/**
 * Counts, for each campaign that isn't archived and each name that its agent's greeting needs, the contacts that would have no
 * value after the import. Doesn't count rows that aren't imported, or people who won't be called. Returns only names with a
 * count above zero.
 */
export async function countMissingValues(
  db: Db,
  workspaceId: number,
  importId: number,
): Promise<MissingValue[]> {
  const campaigns = await db
    .selectFrom('campaign')
    .innerJoin('agent', 'agent.id', 'campaign.agent_id')
    .select(['campaign.id', 'campaign.name', 'agent.greeting'])
    .where('campaign.workspace_id', '=', workspaceId)
    .where('campaign.status', '<>', 'archived')
    .orderBy('campaign.name')
    .orderBy('campaign.id')
    .execute()
  const needed = campaigns.map((campaign) => ({ ...campaign, names: findNeededNames(campaign.greeting) }))
  const names = [...new Set(needed.flatMap((campaign) => campaign.names))]
  const counts =
    names.length === 0 ? new Map<string, number>() : await countByName(db, workspaceId, importId, names)
  return needed.flatMap(({ id, name: campaign, names: needs }) =>
    needs.flatMap((name): MissingValue[] => {
      const contacts = counts.get(name) ?? 0
      return contacts === 0 ? [] : [{ campaignId: id, campaign, name, contacts }]
    }),
  )
}

/**
 * Counts the contacts without a value for each name. Reads the file's rows once. A blank cell isn't in `fields`, so the
 * contact's stored value counts.
 */
async function countByName(
  db: Db,
  workspaceId: number,
  importId: number,
  names: readonly string[],
): Promise<Map<string, number>> {
  const columns = await findVariableColumns(db, workspaceId, importId, names)
  const { rows } = await sql<{ name: string; contacts: number }>`
    with person as materialized (
      select coalesce(imported.fields ->> 'first_name', contact.first_name) as first_name,
        coalesce(imported.fields ->> 'last_name', contact.last_name) as last_name,
        contact.variables as stored, imported.fields -> 'variables' as variables
      from contact_import_row as imported
      -- Lateral with a limit: until PostgreSQL has statistics on a new import, it could read all contacts for each row.
      left join lateral (
        select first_name, last_name, variables from contact
        where workspace_id = ${workspaceId} and phone_number = imported.phone_number and erased_at is null
        limit 1
      ) as contact on true
      where imported.import_id = (
          select id from contact_import where workspace_id = ${workspaceId} and id = ${importId}
        )
        and imported.state in ('new', 'existing') and not imported.on_do_not_call_list
        and not imported.fields @> '{"do_not_call": true}' and not imported.fields @> '{"consent_denied": true}'
    )
    select name, count(*)::int as contacts
    from person cross join unnest(${names}::text[], ${columns}::text[]) as needed (name, column_name)
    where coalesce(case name
        when 'first_name' then first_name
        when 'last_name' then last_name
        when 'name' then concat(first_name, last_name)
        else coalesce(variables ->> column_name, stored ->> name)
      end, '') !~ '[^[:space:]]'
    group by name`.execute(db)
  return new Map(rows.map(({ name, contacts }) => [name, contacts]))
}

/**
 * Returns, for each name, the variable of the file that is saved under this name. The two can differ, because an import with a
 * campaign saves variables under the agent's names. If no variable matches, returns the name itself.
 */
async function findVariableColumns(
  db: Db,
  workspaceId: number,
  importId: number,
  names: readonly string[],
): Promise<string[]> {
  const found = await db
    .selectFrom('contact_import')
    .select('columns')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', importId)
    .executeTakeFirst()
  const variables = ImportColumns.parse(found?.columns ?? []).flatMap(({ variable }) => variable ?? [])
  const byName = matchVariables(Object.fromEntries(variables.map((name) => [name, name])), names, {
    renames: true,
  }).variables
  return names.map((name) => getOwn(byName, name) ?? name)
}

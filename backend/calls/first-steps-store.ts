import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** What a workspace has that its first call needs, and whether anything outside is connected to it. */
export interface FirstSteps {
  number: boolean
  agent: boolean
  campaign: boolean
  contact: boolean
  connection: boolean
}

export async function findFirstSteps(db: Db, workspaceId: number): Promise<FirstSteps> {
  const { rows } = await sql<FirstSteps>`
    select
      exists (select from phone_number where workspace_id = ${workspaceId}) as number,
      exists (select from agent where workspace_id = ${workspaceId} and status <> 'draft') as agent,
      exists (select from campaign where workspace_id = ${workspaceId}) as campaign,
      exists (select from call where workspace_id = ${workspaceId}) as contact,
      exists (select from oauth_grant where workspace_id = ${workspaceId})
        or exists (select from api_key where workspace_id = ${workspaceId} and last_used_at is not null)
        as connection`.execute(db)
  const [found] = rows
  if (found === undefined) throw new Error('a question without a table has one answer')
  return found
}

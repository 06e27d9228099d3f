import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'

/** An app that a user connected to a workspace. Combines all of its authorizations. */
export interface ConnectedApp {
  user_id: number
  client_id: string
  app: string
  user_name: string
  email: string
  since: Date
  last_used_at: Date | null
  /** The `scope` of every authorization, separated by spaces (RFC 6749, section 3.3). */
  scopes: string
  subscription_count: number
}

/** Returns connected apps, sorted by app name, then by user name. */
export async function selectConnectedApps(db: Db, workspaceId: number): Promise<ConnectedApp[]> {
  const { rows } = await sql<ConnectedApp>`
    select g.user_id, g.client_id, c.name as app, u.name as user_name, u.email,
      min(g.created_at) as since, max(g.last_used_at) as last_used_at,
      coalesce(string_agg(p.payload #>> '{openid,scope}', ' '), '') as scopes,
      (
        select count(*) from webhook_subscription s
        where s.workspace_id = ${workspaceId} and s.user_id = g.user_id and s.client_id = g.client_id
          and s.ended_at is null
      ) as subscription_count
    from oauth_grant g
    join oauth_client c on c.id = g.client_id
    join app_user u on u.id = g.user_id
    left join oauth_payload p on p.grant_hash = g.id_hash and p.model = 'Grant'
    where g.workspace_id = ${workspaceId}
    group by g.user_id, g.client_id, c.name, u.name, u.email
    order by lower(c.name), g.client_id, lower(u.name), g.user_id
    limit 500
  `.execute(db)
  return rows
}

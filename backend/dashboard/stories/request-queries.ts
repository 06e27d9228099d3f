import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'

/** A request of the API log, with the names of its credential. */
export type RequestRow = Awaited<ReturnType<typeof findRequest>> & object

const requestsQuery = (db: Db) =>
  db
    .selectFrom('api_request')
    .leftJoin('api_key', 'api_key.id', 'api_request.api_key_id')
    .leftJoin('oauth_client', 'oauth_client.id', 'api_request.client_id')
    .leftJoin('app_user', 'app_user.id', 'api_request.user_id')
    .select([
      'api_request.id',
      'api_request.workspace_id',
      'api_request.at',
      'api_request.duration_ms',
      'api_request.request_id',
      'api_request.method',
      'api_request.route',
      'api_request.object_id',
      'api_request.status',
      'api_request.error_code',
      'api_request.fields',
      'api_request.field_codes',
      'api_request.idempotency',
      'api_request.client_id',
      'api_request.client_version',
      'api_request.contact_id',
      'api_request.call_id',
      'api_request.campaign_id',
      'api_request.subscription_id',
      'api_key.name as key_name',
      'oauth_client.name as app_name',
      'app_user.name as user_name',
    ])

const requestsOfWorkspace = (db: Db, workspaceId: number) =>
  requestsQuery(db).where('api_request.workspace_id', '=', workspaceId)

export const statusClasses = ['success', 'error', 'client', 'server'] as const
type StatusClass = (typeof statusClasses)[number]

/** Conditions without parameters, so that PostgreSQL uses the partial index of errors. */
const statusConditions: Record<StatusClass, string> = {
  success: 'status < 400',
  error: 'status >= 400',
  client: 'status >= 400 and status < 500',
  server: 'status >= 400 and status >= 500',
}

interface RequestFilter {
  status?: StatusClass | undefined
  requestId?: string | undefined
  /** Selects only requests with a lower ID, newest first. */
  before?: number | undefined
  /** Selects only requests with a higher ID, oldest first. */
  after?: number | undefined
  limit: number
}

/** Returns a page of a workspace's requests. It starts at a cursor, so that page 100 costs as much as page 1. */
export async function selectRequests(
  db: Db,
  workspaceId: number,
  { status, requestId, before, after, limit }: RequestFilter,
): Promise<RequestRow[]> {
  let requests = requestsOfWorkspace(db, workspaceId)
  if (status !== undefined) requests = requests.where(sql.raw<SqlBool>(statusConditions[status]))
  if (requestId !== undefined) requests = requests.where('api_request.request_id', '=', requestId)
  if (before !== undefined) requests = requests.where('api_request.id', '<', before)
  if (after !== undefined) requests = requests.where('api_request.id', '>', after)
  return requests
    .orderBy('api_request.id', after === undefined ? 'desc' : 'asc')
    .limit(limit)
    .execute()
}

/** Returns the requests that queued a call, or that found it already queued, in order. */
export const selectRequestsOfCall = (db: Db, workspaceId: number, callId: number) =>
  requestsOfWorkspace(db, workspaceId)
    .where('api_request.call_id', '=', callId)
    .orderBy('api_request.id')
    .limit(50)
    .execute()

/** Returns the requests with an ID in all workspaces, newest first. Clients can choose the same ID several times. */
export const selectRequestsByRequestId = (db: Db, requestId: string) =>
  requestsQuery(db)
    .where('api_request.request_id', '=', requestId)
    .orderBy('api_request.id', 'desc')
    .limit(10)
    .execute()

export const findRequest = (db: Db, workspaceId: number, id: number) =>
  requestsOfWorkspace(db, workspaceId).where('api_request.id', '=', id).executeTakeFirst()

import type { Scope } from '@outdial/contract'

/** The sender of a request and its workspace: an API key, an app for a user, or the user in the dashboard. */
export interface Caller {
  workspaceId: number
  userId: number
  /** Set for a personal API key; then `clientId` is null. Both are null in the dashboard. */
  apiKeyId: number | null
  /** Set for an OAuth2 token; then `apiKeyId` is null. */
  clientId: string | null
  scopes: Scope[]
}

/** Returns a key for the connection behind a credential. It stays the same when tokens are refreshed. */
export const getConnectionKey = ({ workspaceId, userId, apiKeyId, clientId }: Caller): string => {
  if (clientId !== null) return `client:${userId}:${workspaceId}:${clientId}`
  return apiKeyId === null ? `dashboard:${userId}:${workspaceId}` : `key:${apiKeyId}`
}

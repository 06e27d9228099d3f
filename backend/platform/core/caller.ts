import type { Scope } from '@outdial/contract'

/** The sender of a request and its workspace: an API key, an app that acts for a user, or a user in the dashboard. */
export interface Caller {
  workspaceId: number
  userId: number
  /** Set for a personal API key; then `clientId` is null. Both are null in the dashboard. */
  apiKeyId: number | null
  /** Set for an OAuth2 token; then `apiKeyId` is null. */
  clientId: string | null
  scopes: Scope[]
}

/** Returns a key for the caller's connection. It stays the same when an app's tokens are refreshed. */
export const getConnectionKey = ({ workspaceId, userId, apiKeyId, clientId }: Caller): string => {
  if (clientId !== null) return `client:${userId}:${workspaceId}:${clientId}`
  return apiKeyId === null ? `dashboard:${userId}:${workspaceId}` : `key:${apiKeyId}`
}

import type { Scope } from '@outdial/contract'

/** Who acts, in which one workspace: an API key, or an app on behalf of a user. */
export interface Caller {
  workspaceId: number
  userId: number
  /** Set for a personal API key; then `clientId` is null. */
  apiKeyId: number | null
  /** Set for an OAuth2 token; then `apiKeyId` is null. */
  clientId: string | null
  scopes: Scope[]
}

/** The connection behind a credential. It stays the same over refreshed tokens. */
export const connectionOf = (caller: Caller): string =>
  caller.clientId === null
    ? `key:${caller.apiKeyId}`
    : `client:${caller.userId}:${caller.workspaceId}:${caller.clientId}`

import type { Caller } from './caller.ts'

/**
 * The person or program that queued a call or changed a contact. Stored as JSON, so that the record remains after the
 * import is deleted or the member leaves.
 */
export type Actor =
  | { kind: 'api_key'; id: number }
  /** `user_id` connected the app. */
  | { kind: 'app'; id: string; user_id: number }
  | { kind: 'member'; id: number }
  /** `user_id` uploaded the file `name`. */
  | { kind: 'import'; id: number; user_id: number | null; name: string }
  /** `user_id` undid the import `id`. */
  | { kind: 'import_undo'; id: number; user_id: number }
  /** The agent `id` made the change during the call `call_id`. */
  | { kind: 'agent'; id: number; call_id: number | null }

/** The origin of a call: an actor, a callback that an agent scheduled, or a member who repeated the call `call_id`. */
export type CallOrigin =
  | Exclude<Actor, { kind: 'agent' | 'import_undo' }>
  | { kind: 'scheduled_callback'; id: number; call_id: number }
  | { kind: 'call_again'; id: number; call_id: number }

export function toActor({
  userId,
  apiKeyId,
  clientId,
}: Caller): Exclude<Actor, { kind: 'agent' | 'import_undo' }> {
  if (clientId !== null) return { kind: 'app', id: clientId, user_id: userId }
  return apiKeyId === null ? { kind: 'member', id: userId } : { kind: 'api_key', id: apiKeyId }
}

import type { Caller } from './caller.ts'

/**
 * The person or program that queued a call or changed a contact. Stored as JSON, so that it stays when an import is
 * deleted or a member leaves.
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
  /** The agent `id` during the call `call_id`. */
  | { kind: 'agent'; id: number; call_id: number | null }

/** An actor of a call: an agent schedules a callback, and a member has a call queued again. */
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

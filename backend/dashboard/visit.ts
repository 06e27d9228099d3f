import type { Caller } from '../core/caller.ts'
import type { User } from '../identity/user-store.ts'
import { PageError } from '../views/page-error.ts'

export type Role = 'owner' | 'member'

/** A workspace that the person is a member of. */
export interface UserWorkspace {
  id: number
  name: string
  /** ISO 3166-1 alpha-2. */
  country: string
  /** IANA name: times on the pages are on this clock. */
  timeZone: string
  role: Role
}

/** Somebody who is signed in opens an address of a workspace of theirs. Membership has been checked by then. */
export interface PageContext<Query = unknown> {
  user: User
  workspace: UserWorkspace
  /** All of the person's workspaces, by name: they switch between them. */
  workspaces: UserWorkspace[]
  /** The person, as operations know who acts. */
  caller: Caller
  /** The `:id` of the address; only lines with one may read it. */
  id: number
  /** The `:other` of the address, as sent. */
  other: string
  query: Query
  /** The session's token, hashed. */
  sessionHash: Buffer
}

/** An address of a workspace's dashboard: `pathTo(visit, '/calls/3')`. */
export const pathTo = ({ workspace }: { workspace: { id: number } }, path: string): string =>
  `/w/${workspace.id}${path}`

/** @throws {PageError} 403 for who is no owner of the workspace */
export function requireOwner({ workspace }: PageContext): void {
  if (workspace.role === 'owner') return
  throw new PageError(403, {
    title: 'Only an owner can do this',
    message: `You are a member of ${workspace.name}, and this needs an owner of it.`,
    advice: 'Settings → Members shows who the owners are: ask one of them.',
  })
}

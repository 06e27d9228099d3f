import * as z from 'zod'
import type { Deps } from '../deps.ts'
import { FormError } from '../platform/core/form-errors.ts'
import { findUserId, findWorkspace } from './admin-queries.ts'
import { required, text } from './command.ts'

/** Returns a user's ID. Throws an ApiError (`not_found`) if no user has the email. */
export async function requireUserId({ db }: Pick<Deps, 'db'>, email: string): Promise<number> {
  const id = await findUserId(db, email)
  if (id === undefined)
    throw new FormError('not_found', `No user has the email ${email}. To see the users, run list-users.`)
  return id
}

/** Returns a workspace. Throws an ApiError (`not_found`) if it doesn't exist. */
export async function requireWorkspace(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
): Promise<{ country: string }> {
  const workspace = await findWorkspace(db, workspaceId)
  if (workspace === undefined)
    throw new FormError(
      'not_found',
      `Workspace ${workspaceId} not found. To see the workspaces, run list-workspaces.`,
    )
  return workspace
}

export const Id = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be a whole number')
  .transform(Number)

export const workspaceOption = required(Id, 'ID', 'workspace ID (see list-workspaces)')
export const emailOption = required(text, 'ADDRESS', "user's email address")
export const idOption = (what: string) => required(Id, 'ID', what)
export const campaignOption = idOption('campaign ID (see list-campaigns)')

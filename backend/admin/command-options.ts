import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { findUserId, findWorkspace } from './admin-queries.ts'

/** @throws {ApiError} not_found */
export async function requireUserId({ db }: Pick<Deps, 'db'>, email: string): Promise<number> {
  const id = await findUserId(db, email)
  if (id === undefined) throw notFound(`There is no user with the address ${email}: see list-users.`)
  return id
}

/** @throws {ApiError} not_found */
export async function requireWorkspace(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
): Promise<{ country: string }> {
  const workspace = await findWorkspace(db, workspaceId)
  if (workspace === undefined) throw notFound(`There is no workspace ${workspaceId}: see list-workspaces.`)
  return workspace
}

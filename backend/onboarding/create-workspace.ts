import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { upsertMembership } from '../identity/member-store.ts'
import { findWorkspaceByForm, insertWorkspace } from '../identity/workspace-store.ts'
import { checkWorkspace } from '../identity/workspaces.ts'
import { newWebhookSecret } from '../secrets/tokens.ts'
import { installBuiltInTools } from '../tools/tool-catalog.ts'

interface NewWorkspace {
  name: string
  /** ISO 3166-1 alpha-2: how national phone numbers are read. */
  country: string
  /** IANA name: the default of campaigns. */
  timeZone: string
  ownerId: number
  /** A UUID of the form that asks for it: a second sending makes none, and answers the first one's. */
  formId?: string | undefined
}

/**
 * Makes a workspace with its owner and the tools that come with Outdial.
 *
 * @throws {ApiError} `validation_failed` for a name, country or time zone that is none
 */
export async function createWorkspace(
  deps: Pick<Deps, 'db' | 'secretBox' | 'clock'>,
  input: NewWorkspace,
): Promise<{ id: number }> {
  const { name, country, timeZone } = checkWorkspace(input)
  const formId = input.formId ?? null
  const webhookSecret = deps.secretBox.seal(newWebhookSecret())
  const insert = async (tx: Db) => {
    const workspace = await insertWorkspace(tx, { name, country, timeZone, webhookSecret, formId })
    if (workspace === undefined) return findWorkspaceByForm(tx, formId)
    await upsertMembership(tx, workspace.id, { userId: input.ownerId, role: 'owner' })
    await installBuiltInTools({ db: tx, clock: deps.clock }, workspace.id)
    return workspace
  }
  return deps.db.isTransaction ? insert(deps.db) : deps.db.transaction().execute(insert)
}

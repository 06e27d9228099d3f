import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../platform/core/caller.ts'
import { dayMs } from '../../../platform/core/durations.ts'
import { FormError, invalidField } from '../../../platform/core/form-errors.ts'
import { cutText } from '../../../platform/core/text.ts'
import type { ImportStatus } from '../../../platform/db/tables/call-tables.ts'
import { listOpenCampaigns } from '../../campaigns/campaigns.ts'
import {
  deleteImport,
  findImport,
  insertImport,
  markImportStarted,
  markToCheckAgain,
} from './import-store.ts'

/** The maximum size of a file of contacts. */
export const maxFileBytes = 20 * 1024 * 1024

/** How long an import and its file are stored. Users can correct rejected rows during this time. */
export const importTtlMs = 7 * dayMs

/**
 * Saves a file of contacts for seven days, and notifies the importer, which finds its columns. Nothing is imported yet.
 *
 * @throws {ApiError} validation_failed, body_too_large
 */
export async function uploadContacts(
  { db, clock, notify }: Pick<Deps, 'db' | 'clock' | 'notify'>,
  caller: Pick<Caller, 'workspaceId' | 'userId'>,
  file: { name: string; bytes: Buffer; isTooLarge: boolean } | undefined,
): Promise<number> {
  if (file === undefined) throw invalidField('file', 'required', 'Choose a file.')
  if (file.isTooLarge) {
    const message = 'The file is larger than 20 MB. Split it into smaller files.'
    throw new FormError('body_too_large', message, {
      details: [{ field: 'file', code: 'too_big', message }],
    })
  }
  if (file.bytes.length === 0) throw invalidField('file', 'empty', 'The file is empty. Choose another file.')
  const at = clock.now()
  const id = await insertImport(db, caller.workspaceId, {
    userId: caller.userId,
    name: cutText(file.name, 200) || 'contacts.csv',
    bytes: file.bytes,
    at,
    expiresAt: new Date(at.getTime() + importTtlMs),
  })
  notify.importQueued()
  return id
}

/**
 * Queues another check of the files that wait to be imported. Call it in the transaction that changes the rules, before
 * campaigns are locked.
 */
export async function recheckImports(
  { db, notify }: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
): Promise<void> {
  await markToCheckAgain(db, workspaceId)
  notify.importQueued()
}

/**
 * Starts the import of a checked file. Calling it again does nothing.
 *
 * @param campaignId the campaign that calls the contacts; null only saves them
 * @returns true if this request started it
 * @throws {ApiError} not_found, validation_failed
 */
export async function startImport(
  { db, notify }: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  importId: number,
  campaignId: number | null,
): Promise<boolean> {
  const found = await getImport({ db }, workspaceId, importId)
  if (notChecked.has(found.status)) {
    throw new FormError(
      'validation_failed',
      "This file hasn't been checked yet, or its check failed. Wait for the check to finish, or upload the file again.",
    )
  }
  const campaigns = campaignId === null ? [] : await listOpenCampaigns({ db }, workspaceId)
  if (campaignId !== null && !campaigns.some(({ id }) => id === campaignId)) {
    throw invalidField('campaign_id', 'not_found', 'Choose an active or paused campaign.')
  }
  const isStarted = await markImportStarted(db, workspaceId, importId, campaignId)
  notify.importQueued()
  return isStarted
}

const notChecked: ReadonlySet<ImportStatus> = new Set(['uploaded', 'mapping', 'checking', 'failed'])

/**
 * Returns an import with its campaign, unless an erased contact is yet to be removed from its file.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export async function getImport(deps: Pick<Deps, 'db'>, workspaceId: number, importId: number) {
  const found = await requireImport(deps, workspaceId, importId)
  if (found.is_erasing)
    throw new FormError(
      'validation_failed',
      'A contact was erased, and that person is being removed from this file. Try again in a few minutes.',
    )
  return found
}

/**
 * Returns an import like `getImport`, but even while an erased contact is being removed. Until that's done, callers must not
 * show anything from the file.
 *
 * @throws {ApiError} not_found
 */
export async function requireImport({ db }: Pick<Deps, 'db'>, workspaceId: number, importId: number) {
  const found = await findImport(db, workspaceId, importId)
  if (found === undefined)
    throw new FormError(
      'not_found',
      "This import doesn't exist. Files are deleted seven days after upload. Upload the file again.",
    )
  return found
}

/**
 * Deletes an import with its rows. Imported contacts stay.
 *
 * @returns false, without deleting anything, while contacts are being imported or an import is being undone
 * @throws {ApiError} not_found
 */
export async function discardImport(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  importId: number,
): Promise<boolean> {
  if (await deleteImport(deps.db, workspaceId, importId)) return true
  await requireImport(deps, workspaceId, importId)
  return false
}

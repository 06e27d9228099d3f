import { listOpenCampaigns } from '../../campaigns/campaigns.ts'
import type { Caller } from '../../core/caller.ts'
import { ApiError, invalidField, notFound } from '../../core/errors.ts'
import type { Deps } from '../../deps.ts'
import { findImport } from './import-queries.ts'
import { insertImport, markImportStarted } from './import-store.ts'

/** The most bytes of a file of contacts. */
export const maxFileBytes = 20 * 1024 * 1024

const importTtlMs = 24 * 3_600_000

/**
 * Takes a file of contacts to be checked: nothing is imported. It is kept for a day.
 *
 * @throws {ApiError} validation_failed, body_too_large
 */
export async function uploadContacts(
  { db, clock, notify }: Pick<Deps, 'db' | 'clock' | 'notify'>,
  caller: Pick<Caller, 'workspaceId' | 'userId'>,
  file: { name: string; bytes: Buffer; isTooLarge: boolean } | undefined,
): Promise<number> {
  if (file === undefined) throw invalidField('file', 'required', 'Choose a file first.')
  if (file.isTooLarge) {
    const message = 'The file is larger than 20 MB: split it.'
    throw new ApiError('body_too_large', message, {
      details: [{ field: 'file', code: 'too_big', message }],
    })
  }
  if (file.bytes.length === 0) throw invalidField('file', 'empty', 'The file is empty.')
  const at = clock.now()
  const id = await insertImport(db, caller.workspaceId, {
    userId: caller.userId,
    name: file.name.slice(0, 200) || 'contacts.csv',
    bytes: file.bytes,
    at,
    expiresAt: new Date(at.getTime() + importTtlMs),
  })
  notify.importQueued()
  return id
}

/**
 * Has a checked file imported. One who presses twice starts it once.
 *
 * @param campaignId where its contacts are called; null: they are kept only
 * @returns whether this was the one that started it
 * @throws {ApiError} not_found, validation_failed
 */
export async function startImport(
  { db, notify }: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  importId: number,
  campaignId: number | null,
): Promise<boolean> {
  const found = await findImport(db, workspaceId, importId)
  if (found === undefined) throw notFound('This file is not kept any more.')
  if (found.status === 'failed' || found.status === 'uploaded') {
    throw new ApiError('validation_failed', 'This file cannot be imported.')
  }
  const campaigns = campaignId === null ? [] : await listOpenCampaigns({ db }, workspaceId)
  if (campaignId !== null && !campaigns.some(({ id }) => id === campaignId)) {
    throw invalidField('campaign_id', 'not_found', 'Choose a campaign that takes calls.')
  }
  const isStarted = await markImportStarted(db, workspaceId, importId, campaignId)
  notify.importQueued()
  return isStarted
}

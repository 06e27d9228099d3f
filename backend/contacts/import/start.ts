import type { Deps } from '../../deps.ts'
import { ApiError, invalidField, notFound } from '../../core/errors.ts'
import { selectOpenCampaigns } from '../search-store.ts'
import { findImport, markImportStarted } from './import-queries.ts'

/**
 * Has a checked file imported. One who presses twice starts it once.
 *
 * @param campaignId where its contacts are called; null: they are kept only
 * @returns whether this was the one that started it
 * @throws {ApiError} not_found, validation_failed
 */
export const startImport =
  ({ db, notify }: Pick<Deps, 'db' | 'notify'>) =>
  async (workspaceId: number, importId: number, campaignId: number | null): Promise<boolean> => {
    const found = await findImport(db, workspaceId, importId)
    if (found === undefined) throw notFound('This file is not kept any more.')
    if (found.status === 'failed' || found.status === 'uploaded') {
      throw new ApiError('validation_failed', 'This file cannot be imported.')
    }
    const campaigns = campaignId === null ? [] : await selectOpenCampaigns(db, workspaceId)
    if (campaignId !== null && !campaigns.some(({ id }) => id === campaignId)) {
      throw invalidField('campaign_id', 'not_found', 'Choose a campaign that takes calls.')
    }
    const isStarted = await markImportStarted(db, workspaceId, importId, campaignId)
    notify.importQueued()
    return isStarted
  }

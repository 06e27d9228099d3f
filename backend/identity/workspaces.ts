import { CallingHours } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../deps.ts'
import { invalidField } from '../core/errors.ts'
import { validate } from '../core/validate.ts'
import { checkWorkspace } from './check-workspace.ts'
import { updateWorkspace } from './workspace-store.ts'

export interface WorkspaceEdit {
  name: string
  country: string
  timeZone: string
  /** What new campaigns begin with. Checked by the contract's rules. */
  callingHours: unknown
  /** Days after a call's end for which its talk is kept; null: for ever. */
  retentionDays: number | null
}

const CallingHoursInput = z.object({ calling_hours: CallingHours })

/**
 * Edits a workspace's settings. Campaigns keep the hours and the zone that they have.
 *
 * @throws {ApiError} validation_failed
 */
export const editWorkspace =
  (deps: Pick<Deps, 'db'>) =>
  async (workspaceId: number, edit: WorkspaceEdit): Promise<void> => {
    const { name, country, timeZone } = checkWorkspace(edit)
    const { calling_hours: callingHours } = validate(CallingHoursInput, { calling_hours: edit.callingHours })
    const { retentionDays } = edit
    if (retentionDays !== null && !isRetentionDays(retentionDays)) {
      const message = 'Give whole days, from 1 to 3650, or nothing to keep talks for ever.'
      throw invalidField('retention_days', 'invalid_retention', message)
    }
    await updateWorkspace(deps.db, workspaceId, { name, country, timeZone, callingHours, retentionDays })
  }

const isRetentionDays = (days: number): boolean => Number.isInteger(days) && days >= 1 && days <= 3650

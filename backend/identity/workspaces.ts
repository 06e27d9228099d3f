import { CallingHours, Country, TimeZone } from '@outdial/contract'
import * as z from 'zod'
import { invalidField } from '../core/errors.ts'
import { validate } from '../core/validate.ts'
import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { selectRetentions, updateWorkspace } from './workspace-store.ts'

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
export async function editWorkspace(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  edit: WorkspaceEdit,
): Promise<void> {
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

interface WorkspaceInput {
  name: string
  country: string
  timeZone: string
}

const maxNameLength = 200

/**
 * What every workspace has, with its name trimmed.
 *
 * @throws {ApiError} validation_failed
 */
export function checkWorkspace({ name: rawName, country, timeZone }: WorkspaceInput): WorkspaceInput {
  const name = rawName.trim()
  if (name === '') throw invalidField('name', 'required', 'The workspace needs a name.')
  if (name.length > maxNameLength) {
    throw invalidField('name', 'too_big', `The name must have at most ${maxNameLength} characters.`)
  }
  if (!Country.safeParse(country).success) {
    throw invalidField('country', 'invalid_country', `"${country}" is no country code such as US.`)
  }
  if (!TimeZone.safeParse(timeZone).success) {
    throw invalidField(
      'time_zone',
      'invalid_time_zone',
      `"${timeZone}" is no time zone such as Europe/Berlin.`,
    )
  }
  return { name, country, timeZone }
}

/** The country that national numbers of the workspace are read for. */
export async function findWorkspaceCountry(db: Db, workspaceId: number): Promise<string> {
  const { country } = await db
    .selectFrom('workspace')
    .select('country')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return country
}

/** Lists the workspaces that erase conversations after a number of days. */
export const findRetentions = (db: Db) => selectRetentions(db)

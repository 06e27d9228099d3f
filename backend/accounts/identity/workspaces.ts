import { CallingHours, CountryInput, TimeZone } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { rule, validateByRules } from '../../platform/core/validate-rules.ts'
import type { Db } from '../../platform/db/schema.ts'
import { newWebhookSecret } from '../../platform/secrets/tokens.ts'
import { countOwnedWorkspaces, upsertMembership } from './member-store.ts'
import { lockUser } from './user-store.ts'
import {
  findAnyWorkspace,
  findWorkspaceByForm,
  insertWorkspace,
  selectCallsSpecialNumbers,
  selectWorkspaceCountry,
  selectWorkspaceTimeZone,
  setWebhookSecret,
  updateCallsSpecialNumbers,
  updateWorkspace,
} from './workspace-store.ts'

const maxNameLength = 200

const WorkspaceFields = z.object({
  name: z
    .string()
    .trim()
    .refine((name) => name !== '', rule('required', 'Enter a name for the workspace.'))
    .refine(
      (name) => name.length <= maxNameLength,
      rule('too_big', `The name can have at most ${maxNameLength} characters. Shorten it.`),
    ),
  country: z.string().refine(
    (country) => CountryInput.safeParse(country).success,
    rule(
      'invalid_country',
      (country) => `"${country}" isn't a valid country code. Use two letters, for example US.`,
    ),
  ),
  time_zone: z.string().refine(
    (timeZone) => TimeZone.safeParse(timeZone).success,
    rule(
      'invalid_time_zone',
      (timeZone) => `"${timeZone}" isn't a valid time zone. Use an IANA name, for example America/New_York.`,
    ),
  ),
})

const WorkspaceSettings = WorkspaceFields.extend({
  /** The default for new campaigns. */
  calling_hours: z.unknown().pipe(CallingHours),
})

/**
 * Edits a workspace's settings. Existing campaigns keep their calling hours and time zone.
 *
 * @throws {ApiError} validation_failed
 */
export async function editWorkspace(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  settings: z.input<typeof WorkspaceSettings>,
): Promise<void> {
  await updateWorkspace(deps.db, workspaceId, validateByRules(WorkspaceSettings, settings))
}

export interface NewWorkspace {
  name: string
  /** ISO 3166-1 alpha-2. Phone numbers without a country code are parsed as numbers of this country. */
  country: string
  /** An IANA name. The default for new campaigns. */
  timeZone: string
  ownerId: number
  /** The form's UUID. Sending the form again returns the workspace that it created the first time. */
  formId?: string | undefined
}

/**
 * Creates a workspace and makes its owner a member, but doesn't install tools: see tools/onboarding/onboarding.ts. `isNew` is
 * false if the form was sent before.
 *
 * @throws {ApiError} validation_failed for an invalid name, country, or time zone
 */
export async function insertOwnedWorkspace(
  tx: Pick<Deps, 'db' | 'secretBox'>,
  input: NewWorkspace,
): Promise<{ id: number; isNew: boolean }> {
  const checked = validateByRules(WorkspaceFields, { ...input, time_zone: input.timeZone })
  const { time_zone: timeZone, ...fields } = checked
  const formId = input.formId ?? null
  const inserted = await insertWorkspace(tx.db, { ...fields, timeZone, formId })
  if (inserted === undefined) return { ...(await findWorkspaceByForm(tx.db, formId)), isNew: false }
  const webhookSecret = tx.secretBox.seal(newWebhookSecret(), ['workspace.webhook_secret', inserted.id])
  await setWebhookSecret(tx.db, inserted.id, webhookSecret)
  await upsertMembership(tx.db, inserted.id, { userId: input.ownerId, role: 'owner' })
  return { id: inserted.id, isNew: true }
}

/**
 * Runs `create`, and then checks that the user doesn't own too many workspaces. The check comes after, so that submitting the
 * form of the last allowed workspace again isn't rejected. A lock makes a user's simultaneous requests take turns. Call it in a
 * transaction.
 *
 * @throws {ApiError} validation_failed
 */
export async function withinWorkspaceLimit<Result>(
  tx: Pick<Deps, 'db' | 'config'>,
  userId: number,
  create: () => Promise<Result>,
): Promise<Result> {
  await lockUser(tx.db, userId)
  const result = await create()
  const max = tx.config.maxWorkspacesPerUser
  if ((await countOwnedWorkspaces(tx.db, userId)) <= max) return result
  const message = `You can own at most ${max} workspaces. Ask your Outdial administrator to raise the limit.`
  throw new FormError('validation_failed', message)
}

export const hasWorkspaces = async (deps: Pick<Deps, 'db'>): Promise<boolean> =>
  (await findAnyWorkspace(deps.db)) !== undefined

/**
 * Returns the workspace's country. Phone numbers without a country code are parsed as numbers of that country.
 */
export const findWorkspaceCountry = (db: Db, workspaceId: number): Promise<string> =>
  selectWorkspaceCountry(db, workspaceId)

/** Returns the workspace's time zone. */
export const findWorkspaceTimeZone = (db: Db, workspaceId: number): Promise<string> =>
  selectWorkspaceTimeZone(db, workspaceId)

/** Sets whether the workspace calls premium-rate numbers and others that can cost much more. */
export const setCallsSpecialNumbers = (db: Db, workspaceId: number, callsThem: boolean): Promise<void> =>
  updateCallsSpecialNumbers(db, workspaceId, callsThem)

/** Returns true if the workspace calls premium-rate numbers and others that can cost much more. */
export const findCallsSpecialNumbers = (db: Db, workspaceId: number): Promise<boolean> =>
  selectCallsSpecialNumbers(db, workspaceId)

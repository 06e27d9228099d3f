import type * as z from 'zod'
import type { Deps } from '../deps.ts'
import { errorCode } from '../platform/core/errors.ts'
import { FormError, invalidField } from '../platform/core/form-errors.ts'
import { lockWorkspace } from '../platform/db/locks.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { isReservedToolName } from '../queue/agents/reserved-tool-names.ts'
import { requireNoCollision } from './assignments.ts'
import { sealSecrets, type ToolSecrets } from './custom/tool-secrets.ts'
import type { ToolRow, ToolValues } from './kinds/tool-kind.ts'
import { unreadableSettingsError } from './tool-catalog.ts'
import { insertTool, setToolSecrets, updateTool } from './tool-store.ts'

type SaveDeps = Pick<Deps, 'db' | 'clock' | 'notify' | 'secretBox'>

/** The values of a tool, with secrets that aren't sealed yet. */
export type ToolToSave = Omit<ToolValues, 'secrets'> & { secrets: ToolSecrets }

/** @throws {ApiError} validation_failed if the name is taken or reserved */
export const saveNewTool = (
  deps: SaveDeps,
  workspaceId: number,
  kind: 'http' | 'remote_mcp',
  { secrets, ...values }: ToolToSave,
): Promise<{ id: number }> =>
  inTransaction(deps, async (tx) => {
    requireFreeName(values.name)
    const row = { ...values, secrets: null, createdAt: tx.clock.now() }
    const added = await insertTool(tx.db, workspaceId, kind, row)
    if (added === undefined) throw nameTaken(values.name)
    // Sealing binds secrets to the row's ID, so the row is added first.
    const sealed = sealSecrets(tx.secretBox, { workspaceId, id: added.id }, secrets)
    if (sealed !== null) await setToolSecrets(tx.db, workspaceId, added.id, sealed)
    tx.notify.toolsChanged({ workspaceId })
    return added
  })

/**
 * Saves an edited tool as a new version.
 *
 * @throws {ApiError} validation_failed if the name is taken or reserved, if one of its agents has another tool with the
 * same name, or if the tool was changed in the meantime
 */
export const saveChangedTool = (deps: SaveDeps, row: ToolRow, changed: ToolToSave): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const { workspaceId } = row
    // A tool that had the name before it was reserved keeps it.
    if (changed.name !== row.name) requireFreeName(changed.name)
    const values = { ...changed, secrets: sealSecrets(tx.secretBox, row, changed.secrets) }
    await lockWorkspace(tx.db, workspaceId)
    const isSaved = await updateTool(tx.db, workspaceId, row, values).catch((error: unknown) => {
      throw errorCode(error) === uniqueViolation ? nameTaken(values.name) : error
    })
    if (!isSaved) throw concurrentChange()
    await requireNoCollision(tx.db, { ...row, ...values }, values.name === row.name ? 'tools' : 'name')
    tx.notify.toolsChanged({ workspaceId })
  })

/** @throws {ApiError} validation_failed if the saved settings aren't valid */
export function parseSettings<Settings>(schema: z.ZodType<Settings>, { settings }: ToolRow): Settings {
  const parsed = schema.safeParse(settings)
  if (!parsed.success) throw unreadableSettingsError()
  return parsed.data
}

function requireFreeName(name: string): void {
  if (!isReservedToolName(name)) return
  const message = `The name ${name} is reserved: agents use it to control the call. Choose another name.`
  throw invalidField('name', 'reserved', message)
}

const uniqueViolation = '23505'

const nameTaken = (name: string) =>
  invalidField(
    'name',
    'already_used',
    `This workspace already has a tool named ${name}. Choose another name.`,
  )

const concurrentChange = () =>
  new FormError('validation_failed', 'Someone else changed this tool. Reload the page and try again.')

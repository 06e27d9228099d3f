import type { Deps } from '../../deps.ts'
import { ApiError, invalidField } from '../../core/errors.ts'
import type { Caller } from '../../core/caller.ts'
import { insertImport } from './import-store.ts'

/** The most bytes of a file of contacts. */
export const maxFileBytes = 20 * 1024 * 1024

const importTtlMs = 24 * 3_600_000

/**
 * Takes a file of contacts to be checked: nothing is imported. It is kept for a day.
 *
 * @throws {ApiError} validation_failed, body_too_large
 */
export const uploadContacts =
  ({ db, clock, notify }: Pick<Deps, 'db' | 'clock' | 'notify'>) =>
  async (
    caller: Pick<Caller, 'workspaceId' | 'userId'>,
    file: { name: string; bytes: Buffer; isTooLarge: boolean } | undefined,
  ): Promise<number> => {
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

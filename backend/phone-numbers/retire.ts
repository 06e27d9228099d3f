import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { updatePhoneNumberStatus } from './phone-number-store.ts'

/**
 * Makes no more calls from a number. What waits to be called from it is kept, and says so.
 *
 * @throws {ApiError} not_found
 */
export const retirePhoneNumber =
  (deps: Pick<Deps, 'db'>) =>
  async (phoneNumberKey: { workspaceId: number; phoneNumberId: number }): Promise<void> => {
    const isUpdated = await updatePhoneNumberStatus(
      deps.db,
      phoneNumberKey.workspaceId,
      phoneNumberKey.phoneNumberId,
      'retired',
    )
    if (!isUpdated) throw notFound('There is no phone number with this id in this workspace.')
  }

import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { updatePhoneNumberStatus } from './phone-number-store.ts'

/**
 * Makes calls from a number again that was retired. What waited for it goes out.
 *
 * @throws {ApiError} not_found
 */
export const activatePhoneNumber =
  (deps: Pick<Deps, 'db' | 'notify'>) =>
  async (phoneNumberKey: { workspaceId: number; phoneNumberId: number }): Promise<void> => {
    const isUpdated = await updatePhoneNumberStatus(
      deps.db,
      phoneNumberKey.workspaceId,
      phoneNumberKey.phoneNumberId,
      'active',
    )
    if (!isUpdated) throw notFound('There is no phone number with this id in this workspace.')
    deps.notify.callQueued()
  }

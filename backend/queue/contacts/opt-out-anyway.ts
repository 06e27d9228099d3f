import { boundedText, CountryInput } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { toActor } from '../../platform/core/actor.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { ApiError } from '../../platform/core/errors.ts'
import { cleanInput } from '../../platform/core/validate.ts'
import { addNumbersToDoNotCallList } from '../calls/do-not-call.ts'

/** A code that no country has. With it, only numbers with a country code are valid. */
const unknownCountry = 'ZZ'

const OptOut = z.object({
  phone_number: boundedText(1000),
  country: CountryInput.nullish().catch(unknownCountry),
  do_not_call: z.literal(true),
})

/**
 * Adds the numbers of a rejected request to the do-not-call list if the request says that the contact must not be called. So an
 * opt-out fails only if its text has no valid number.
 *
 * @param body of `POST /contacts/`, as parsed from JSON
 */
export async function optOutAnyway(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const optOut = OptOut.safeParse(cleanInput(body).value)
  if (!optOut.success) return
  const { phone_number: phoneNumber, country } = optOut.data
  const entry = { source: 'api', reason: null, addedBy: toActor(caller) } as const
  await addNumbersToDoNotCallList(deps, caller.workspaceId, { phoneNumber, country }, entry).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError)) throw error
    },
  )
}

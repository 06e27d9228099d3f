import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { addToDoNotCallList } from '../../queue/calls/do-not-call.ts'
import {
  getOwnContact,
  normalizePhone,
  phoneNumberArgument,
  textArgument,
  withoutArguments,
} from './tool-arguments.ts'
import {
  dryRunResult,
  failedResult,
  textResult,
  type ToolDefinition,
  type ToolKind,
  type ToolUse,
} from './tool-kind.ts'

const definition: ToolDefinition = {
  name: 'do_not_call',
  description:
    'Add a number to the do-not-call list as soon as the person asks not to be called again. No campaign will call the number again, and waiting calls to it end.',
  inputSchema: {
    type: 'object',
    properties: { phone_number: phoneNumberArgument },
    additionalProperties: false,
  },
}

/** Adds a number to the do-not-call list. Only a person can remove it, in the dashboard. */
export const doNotCall: ToolKind = {
  kind: 'do_not_call',
  settings: z.strictObject({}),
  config: z.strictObject({}),
  hasEffects: true,
  builtIn: definition,
  inCall: () =>
    withoutArguments(
      definition,
      ['phone_number'],
      'Add the number of the person on this call to the do-not-call list as soon as they ask not to be called again. No campaign will call the number again, and waiting calls to it end.',
    ),
  run: async (deps, use) => {
    const phoneNumber = await resolvePhoneNumber(deps, use)
    if (phoneNumber === undefined) return failedResult('no_call_to_opt_out')
    if (use.dryRun || phoneNumber === null)
      return dryRunResult(use, 'The number would have been added to the do-not-call list.')

    await inTransaction(deps, async (tx) => {
      const addedBy = { kind: 'agent', id: use.agentId, call_id: use.call?.callId ?? null } as const
      const entry = { phoneNumbers: [phoneNumber], source: 'call', addedBy, now: tx.clock.now() } as const
      await addToDoNotCallList(tx, use.row.workspaceId, { ...entry, optedOutCallId: use.call?.callId })
    })
    return textResult("The number is on the do-not-call list and won't be called again.")
  },
}

/**
 * Returns the number to add: that of the conversation's contact or, outside of conversations, the one in the arguments, which
 * doesn't need to be a contact's. Returns null if the chat has no contact.
 */
async function resolvePhoneNumber(deps: Pick<Deps, 'db'>, use: ToolUse): Promise<string | null | undefined> {
  const own = getOwnContact(use)
  if (own !== undefined) return own && own.phoneNumber
  const given = textArgument(use, 'phone_number')
  return given && normalizePhone(deps, use.row.workspaceId, given)
}

import { type ErrorText, toErrorMessage, toolResultTexts } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { findNotes } from '../../queue/contacts/contact-notes.ts'
import { describeContact } from '../../queue/contacts/describe-contact.ts'
import {
  type ContactDetails,
  type ContactLookupField,
  findContactsBy,
} from '../../queue/contacts/find-contacts.ts'
import { timeZoneOfContact } from '../../queue/scheduling/time-zones.ts'
import {
  getOwnContact,
  normalizePhone,
  phoneNumberArgument,
  textArgument,
  withoutArguments,
} from './tool-arguments.ts'
import { failedResult, textResult, type ToolDefinition, type ToolKind, type ToolUse } from './tool-kind.ts'

const maxNotes = 5
const maxMatches = 5

const noContactTexts = {
  phone_number: toolResultTexts.no_contact_with_number,
  email: toolResultTexts.no_contact_with_email,
  external_id: toolResultTexts.no_contact_with_external_id,
  id: toolResultTexts.no_contact_for_call,
} satisfies Record<ContactLookupField, ErrorText>

const Config = z.strictObject({
  any_contact: z.boolean().default(false).meta({
    title: 'Look up any contact during a call',
    description:
      'Leave this off to let the agent see only the contact of its call. If you turn it on, the person on the phone can get the agent to read out the name, email, and details of any contact in this workspace.',
  }),
})

const allowsAnyContact = (config: unknown): boolean => Config.safeParse(config).data?.any_contact ?? false

const definition: ToolDefinition = {
  name: 'contact_lookup',
  description:
    "Look up a contact's name, details, local time, do-not-call status, and latest notes. For the person on this call, leave out all arguments.",
  inputSchema: {
    type: 'object',
    properties: {
      phone_number: phoneNumberArgument,
      email: { type: 'string', minLength: 1, maxLength: 254, description: 'Email address of the contact.' },
      external_id: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: "The contact's ID in another system, such as a CRM.",
      },
    },
    maxProperties: 1,
    additionalProperties: false,
  },
}

const ownContactDefinition = withoutArguments(
  definition,
  ['phone_number', 'email', 'external_id'],
  'Look up the name, details, local time, do-not-call status, and latest notes of the person on this call.',
)

export const contactLookup: ToolKind = {
  kind: 'contact_lookup',
  settings: z.strictObject({}),
  config: Config,
  hasEffects: false,
  builtIn: definition,
  inCall: (config) => (allowsAnyContact(config) ? definition : ownContactDefinition),
  run: async (deps, use) => {
    const lookupKey = await parseLookupKey(deps, use)
    if (lookupKey === undefined) return failedResult('no_call_to_look_up')
    if (lookupKey === null) return failedResult('no_contact_in_chat')
    const found = await findContactsBy(deps.db, use.row.workspaceId, ...lookupKey, maxMatches + 1)
    const [contact] = found
    if (contact === undefined) return textResult(toErrorMessage(noContactTexts[lookupKey[0]]))
    if (found.length > 1) return textResult(formatMatches(found))

    const notes = await findNotes(deps.db, use.row.workspaceId, contact.id, maxNotes)
    const timeZone = timeZoneOfContact(contact)
    return textResult(describeContact(contact, notes, { now: deps.clock.now(), timeZone }))
  },
}

/** Returns the field and the value to look up: undefined if the arguments are missing, null if the chat has no contact. */
async function parseLookupKey(
  deps: Pick<Deps, 'db'>,
  use: ToolUse,
): Promise<[ContactLookupField, string | number] | null | undefined> {
  const own = getOwnContact(use)
  const ownKey = own && (['id', own.id] as [ContactLookupField, number])
  if (ownKey !== undefined && !allowsAnyContact(use.config)) return ownKey
  const phoneNumber = textArgument(use, 'phone_number')
  if (phoneNumber !== undefined) {
    return ['phone_number', await normalizePhone(deps, use.row.workspaceId, phoneNumber)]
  }
  for (const key of ['email', 'external_id'] as const) {
    const value = textArgument(use, key)
    if (value !== undefined) return [key, value]
  }
  return ownKey
}

const formatMatches = (found: ContactDetails[]) =>
  [
    'Several contacts match. Look up the one you mean by phone_number:',
    ...found
      .slice(0, maxMatches)
      .map(({ first_name, last_name, phone_number }) =>
        ['-', first_name, last_name, phone_number].filter(Boolean).join(' '),
      ),
    ...(found.length > maxMatches ? ['More contacts match. Ask the person for their phone number.'] : []),
  ].join('\n')

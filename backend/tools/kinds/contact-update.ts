import * as z from 'zod'
import { validate } from '../../platform/core/validate.ts'
import { ContactFields } from '../../queue/contacts/contact-input.ts'
import { updateContact } from '../../queue/contacts/update-contact.ts'
import { phoneNumberArgument, resolveContact, withoutArguments } from './tool-arguments.ts'
import { dryRunResult, failedResult, textResult, type ToolDefinition, type ToolKind } from './tool-kind.ts'

// Some language models' APIs reject a list of types, so these schemas have alternatives instead.
const nullableText = (description: string, maxLength = 200) => ({
  anyOf: [{ type: 'string', maxLength }, { type: 'null' }],
  description,
})

const definition: ToolDefinition = {
  name: 'contact_update',
  description:
    "Update the contact's details. Fields you leave out don't change. To clear a field, pass null.",
  inputSchema: {
    type: 'object',
    properties: {
      first_name: nullableText('First name.'),
      last_name: nullableText('Last name.'),
      email: nullableText('Email address.', 254),
      external_id: nullableText("The contact's ID in another system, such as a CRM."),
      time_zone: nullableText("The contact's IANA time zone, for example America/New_York.", 64),
      variables: {
        anyOf: [
          {
            type: 'object',
            additionalProperties: { type: 'string', maxLength: 2000 },
            maxProperties: 100,
          },
          { type: 'null' },
        ],
        description:
          'Other details by name, for example {"roof_type": "slate"}. Details you leave out keep their values. To clear all of these details, pass null instead of an object.',
      },
      phone_number: phoneNumberArgument,
    },
    additionalProperties: false,
  },
}

/** Updates a contact, except for the phone number, which identifies it. */
export const contactUpdate: ToolKind = {
  kind: 'contact_update',
  settings: z.strictObject({}),
  config: z.strictObject({}),
  hasEffects: true,
  builtIn: definition,
  inCall: () => withoutArguments(definition, ['phone_number']),
  run: async (deps, use) => {
    const fields = validate(ContactFields, { ...use.args, phone_number: undefined })
    const { variables, ...otherFields } = fields
    const names = [
      ...Object.keys(otherFields),
      ...(variables === null ? ['variables'] : Object.keys(variables ?? {})),
    ]
    if (names.length === 0) return failedResult('nothing_to_update')

    const contact = await resolveContact(deps, use)
    if (use.dryRun || contact === null)
      return dryRunResult(use, `These fields would have been updated: ${names.join(', ')}.`)
    const agent = { kind: 'agent', id: use.agentId, call_id: use.call?.callId ?? null } as const
    await updateContact(deps, use.row.workspaceId, contact.id, fields, agent)
    return textResult(`Contact updated: ${names.join(', ')}.`)
  },
}

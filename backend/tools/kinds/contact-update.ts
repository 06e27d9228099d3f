import * as z from 'zod'
import { updateContact } from '../../contacts/update-contact.ts'
import { ContactFields } from '../../contacts/upsert-contact.ts'
import { validate } from '../../core/validate.ts'
import { phoneNumberArgument, resolveContact } from './tool-arguments.ts'
import { dryRunResult, errorResult, textResult, type ToolKind } from './tool-kind.ts'

const nullableText = (description: string, maxLength = 200) => ({
  type: ['string', 'null'],
  maxLength,
  description,
})

/** Corrects what is known of a contact. The number stays: it is how the contact is known. */
export const contactUpdate: ToolKind = {
  kind: 'contact_update',
  settings: z.strictObject({}),
  config: z.strictObject({}),
  hasEffects: true,
  builtIn: {
    name: 'contact_update',
    description: 'Corrects what is known of the contact. Fields that are left out stay; null clears one.',
    inputSchema: {
      type: 'object',
      properties: {
        first_name: nullableText('First name'),
        last_name: nullableText('Last name'),
        email: nullableText('E-mail address', 254),
        external_id: nullableText('How another system, such as the CRM, names the contact'),
        time_zone: nullableText('Where the contact is, as an IANA time zone such as America/New_York', 64),
        variables: {
          type: ['object', 'null'],
          additionalProperties: { type: 'string', maxLength: 2000 },
          maxProperties: 100,
          description:
            'Anything else by name, for example {"roof_type": "slate"}. Other names are kept; null clears all.',
        },
        phone_number: phoneNumberArgument,
      },
      additionalProperties: false,
    },
  },
  run: async (deps, use) => {
    const fields = validate(ContactFields, { ...use.args, phone_number: undefined })
    const { variables, ...otherFields } = fields
    const names = [
      ...Object.keys(otherFields),
      ...(variables === null ? ['variables'] : Object.keys(variables ?? {})),
    ]
    if (names.length === 0) return errorResult('Nothing was given: say which fields are to be changed.')

    const contact = await resolveContact(deps, use)
    if (use.dryRun) return dryRunResult(`These would have been written: ${names.join(', ')}.`)
    await updateContact(deps, use.row.workspaceId, contact.phone_number, fields)
    return textResult(`The contact is updated: ${names.join(', ')}.`)
  },
}

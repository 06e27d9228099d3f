import * as z from 'zod'
import { addNote } from '../../queue/contacts/contact-notes.ts'
import { phoneNumberArgument, resolveContact, textArgument, withoutArguments } from './tool-arguments.ts'
import { dryRunResult, failedResult, textResult, type ToolDefinition, type ToolKind } from './tool-kind.ts'

const definition: ToolDefinition = {
  name: 'contact_note',
  description: 'Save a short note about the contact for the next conversation.',
  inputSchema: {
    type: 'object',
    properties: {
      text: {
        type: 'string',
        minLength: 1,
        maxLength: 2000,
        description: 'The note, in complete sentences.',
      },
      phone_number: phoneNumberArgument,
    },
    required: ['text'],
    additionalProperties: false,
  },
}

/** Saves a note about a contact, for people in the dashboard and for later calls. */
export const contactNote: ToolKind = {
  kind: 'contact_note',
  settings: z.strictObject({}),
  config: z.strictObject({}),
  hasEffects: true,
  builtIn: definition,
  inCall: () => withoutArguments(definition, ['phone_number']),
  run: async (deps, use) => {
    const text = textArgument(use, 'text')
    if (text === undefined) return failedResult('note_empty')
    const contact = await resolveContact(deps, use)
    if (use.dryRun || contact === null) return dryRunResult(use, `This note would have been saved: ${text}`)

    await addNote(deps, use.row.workspaceId, contact.id, { callId: use.call?.callId ?? null, text })
    return textResult('Note saved.')
  },
}

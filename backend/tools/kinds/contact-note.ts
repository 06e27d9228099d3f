import * as z from 'zod'
import { addNote } from '../../contacts/contact-notes.ts'
import { phoneNumberArgument, resolveContact, textArgument } from './tool-arguments.ts'
import { dryRunResult, errorResult, textResult, type ToolKind } from './tool-kind.ts'

/** Keeps a note on a contact: who looks the contact up next, person or agent, finds it. */
export const contactNote: ToolKind = {
  kind: 'contact_note',
  settings: z.strictObject({}),
  config: z.strictObject({}),
  hasEffects: true,
  builtIn: {
    name: 'contact_note',
    description: 'Keeps a short note on the contact, for whoever talks to them next.',
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1, maxLength: 2000, description: 'The note, in full sentences.' },
        phone_number: phoneNumberArgument,
      },
      required: ['text'],
      additionalProperties: false,
    },
  },
  run: async (deps, use) => {
    const text = textArgument(use, 'text')
    if (text === undefined) return errorResult('The note is empty: say what is to be noted in text.')
    const contact = await resolveContact(deps, use)
    if (use.dryRun) return dryRunResult(`This note would have been kept: ${text}`)

    await addNote(deps, use.row.workspaceId, contact.id, { callId: use.call?.callId ?? null, text })
    return textResult('The note is kept.')
  },
}

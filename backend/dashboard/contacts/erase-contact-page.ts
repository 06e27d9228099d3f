import * as z from 'zod'
import { formatContactName } from '../../platform/views/format.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { countStoredData, describeErasure, type StoredData } from '../../privacy/stored-data.ts'
import { confirmPage, requireConfirmation, requireSeen } from '../page/confirm-page.ts'
import { defineForm, noInput, redirectTo } from '../page/define-page.ts'
import { formText } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { requireContact } from './contact-queries.ts'

export const eraseContactPage = defineForm({
  params: IdParams,
  query: noInput,
  form: z.object({ confirmation: formText.default(''), seen: z.coerce.number().int().catch(0) }),
  show: async (deps, context) => {
    const contact = await requireContact(deps, context)
    const stored = await countStoredData(deps.db, context.workspace.id, contact)
    const { phone_number: number } = contact
    const name = formatContactName(contact, number)
    return confirmPage(`Erase ${name}`, {
      heading: `Erase ${name}?`,
      effects: describeErasure(stored),
      notes: [
        'The calls stay in your lists and statistics, but without the contact and the conversation. If the number is ' +
          'on the do-not-call list, it stays there. Rows in Google Sheets and data already sent to webhooks and tools ' +
          'are not deleted.',
        'Contact files uploaded in the last seven days are then searched for this person, which takes up to a few minutes.',
        'If notes, variables, conversations, or metadata of other contacts mention this person, they are not changed.',
      ],
      confirmation: name === number ? `Type ${number} to confirm` : `Type ${number} or “${name}” to confirm`,
      submitLabel: 'Erase permanently',
      back: { path: `/contacts/${contact.id}`, label: name },
      fields: { seen: countAll(stored) },
    })
  },
  submit: async (tx, context, { confirmation, seen }) => {
    const contact = await requireContact(tx, context)
    const stored = await countStoredData(tx.db, context.workspace.id, contact)
    requireSeen(
      countAll(stored),
      seen,
      'More was stored about this contact after you opened this page. Nothing was erased. Check the counts and confirm again.',
    )
    const number = contact.phone_number
    const typedNumber = confirmation.replace(/[\s().-]/g, '')
    requireConfirmation(typedNumber === number ? number : confirmation, [
      number,
      formatContactName(contact, number),
    ])
    await eraseContact(tx, context.workspace.id, contact.id)
    return redirectTo(pathTo(context, `/contacts/${contact.id}`), 'Contact erased.')
  },
})

const countAll = (stored: StoredData): number =>
  Object.values<number>({ ...stored }).reduce((sum, count) => sum + count, 0)

import { addContactTexts, boundedText, trimmedText } from '@outdial/contract'
import * as z from 'zod'
import { addNumbersToDoNotCallList, removeNumberFromDoNotCallList } from '../../calls/do-not-call.ts'
import { toActor } from '../../core/actor.ts'
import { parsePhone } from '../../core/phone.ts'
import type { Deps } from '../../deps.ts'
import { defineForm, redirectTo, template, type View } from '../page/define-page.ts'
import { IdParams, type IdPathContext, type PageContext, pathTo } from '../page/page-context.ts'
import { ContactQuery, type DoNotCallStatus, findDoNotCallStatus, showContact } from './contact-page.ts'

interface DoNotCallData {
  phoneLabel: string
  number: string
  /** Why the number to check isn't valid; empty if it is. */
  error: string
  result: (DoNotCallStatus & { phoneNumber: string }) | null
}

const doNotCallView = template<DoNotCallData>('dashboard/contacts/do-not-call-page')

const phoneLabel = addContactTexts.phone_number.label

const Reason = trimmedText(500)

const doNotCallPath = '/contacts/do-not-call'

const NumberQuery = z.object({ number: trimmedText(64).optional().catch(undefined) })

/** Shows the page, with a number to check if there's one. */
async function showNumber(
  deps: Pick<Deps, 'db'>,
  workspace: PageContext['workspace'],
  number = '',
): Promise<View> {
  const emptyData = { number, error: '', result: null, phoneLabel }
  if (number === '') return doNotCallView('Do-not-call list', emptyData)
  const parsed = parsePhone(number, workspace.country)
  if (!parsed.ok) return doNotCallView('Do-not-call list', { ...emptyData, error: parsed.issue.message })
  const { phoneNumber } = parsed
  const result = { phoneNumber, ...(await findDoNotCallStatus(deps, workspace.id, phoneNumber)) }
  return doNotCallView('Do-not-call list', { ...emptyData, result })
}

/** Numbers are stored as hashes, so they can be checked one by one but not listed. */
export const doNotCallPage = defineForm({
  query: NumberQuery,
  form: z.object({ phone_number: boundedText(1_000), reason: Reason }),
  show: async (deps, { workspace, query }) => showNumber(deps, workspace, query.number),
  submit: async (tx, context, { phone_number, reason }) => {
    const entry = { source: 'dashboard', reason, addedBy: toActor(context.caller) } as const
    const added = await addNumbersToDoNotCallList(
      tx,
      context.workspace.id,
      { phoneNumber: phone_number },
      entry,
    )
    const message =
      added.length === 1
        ? 'The number is now on the do-not-call list.'
        : `${added.length} numbers are now on the do-not-call list.`
    return redirectTo(pathTo(context, doNotCallPath), message)
  },
})

// The next three are forms in a dialog. They show the page again, with the reason, if it couldn't be saved.

export const removeFromDoNotCallListPage = defineForm({
  query: NumberQuery,
  form: z.object({ phone_number: boundedText(64), reason: Reason }),
  show: async (deps, { workspace, query }, { submitted }) =>
    showNumber(deps, workspace, NumberQuery.parse({ number: submitted.phone_number }).number ?? query.number),
  submit: async (tx, context, { phone_number, reason }) => {
    const removed = await removeNumberFromDoNotCallList(
      tx,
      context.caller,
      { phoneNumber: phone_number },
      reason,
    )
    return redirectTo(pathTo(context, doNotCallPath), removed ? removedMessage : notListedMessage)
  },
})

export const addContactToDoNotCallListPage = defineForm({
  params: IdParams,
  query: ContactQuery,
  form: z.object({ reason: Reason }),
  show: showContact,
  submit: async (tx, context, { reason }) => {
    const entry = { source: 'dashboard', reason, addedBy: toActor(context.caller) } as const
    await addNumbersToDoNotCallList(tx, context.workspace.id, { contactId: context.params.id }, entry)
    return redirectTo(contactPath(context), 'The number is now on the do-not-call list.')
  },
})

export const removeContactFromDoNotCallListPage = defineForm({
  params: IdParams,
  query: ContactQuery,
  form: z.object({ reason: Reason }),
  show: showContact,
  submit: async (tx, context, { reason }) => {
    const removed = await removeNumberFromDoNotCallList(
      tx,
      context.caller,
      { contactId: context.params.id },
      reason,
    )
    return redirectTo(contactPath(context), removed ? removedMessage : notListedMessage)
  },
})

const removedMessage =
  "The number was removed from the do-not-call list. Calls that ended with the outcome Suppressed aren't queued again."
const notListedMessage = "The number wasn't on the do-not-call list."

const contactPath = (context: IdPathContext) => pathTo(context, `/contacts/${context.params.id}`)

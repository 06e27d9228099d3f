import { addContactTexts, boundedText, trimmedText } from '@outdial/contract'
import * as z from 'zod'
import { addNumbersToDoNotCallList, removeNumberFromDoNotCallList } from '../../calls/do-not-call.ts'
import { toActor } from '../../core/actor.ts'
import { parsePhone } from '../../core/phone.ts'
import { defineAction, defineForm, redirectTo, template } from '../page/define-page.ts'
import { type IdContext, IdParams, pathTo } from '../page/page-context.ts'
import { type DoNotCallStatus, findDoNotCallStatus } from './contact-page.ts'

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

/** Numbers are stored as hashes, so they can be checked one by one but not listed. */
export const doNotCallPage = defineForm({
  query: z.object({ number: trimmedText(64).optional().catch(undefined) }),
  form: z.object({ phone_number: boundedText(1_000), reason: Reason }),
  show: async (deps, { workspace, query }) => {
    const number = query.number ?? ''
    const emptyData = { number, error: '', result: null, phoneLabel }
    if (number === '') return doNotCallView('Do-not-call list', emptyData)
    const parsed = parsePhone(number, workspace.country)
    if (!parsed.ok) return doNotCallView('Do-not-call list', { ...emptyData, error: parsed.issue.message })
    const { phoneNumber } = parsed
    const result = { phoneNumber, ...(await findDoNotCallStatus(deps, workspace.id, phoneNumber)) }
    return doNotCallView('Do-not-call list', { ...emptyData, result })
  },
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

export const removeFromDoNotCallListAction = defineAction({
  form: z.object({ phone_number: boundedText(64), reason: Reason }),
  run: async (tx, context, { phone_number, reason }) => {
    const removed = await removeNumberFromDoNotCallList(
      tx,
      context.caller,
      { phoneNumber: phone_number },
      reason,
    )
    return redirectTo(pathTo(context, doNotCallPath), removed ? removedMessage : notListedMessage)
  },
  back: (context) => pathTo(context, doNotCallPath),
})

export const addContactToDoNotCallListAction = defineAction({
  params: IdParams,
  form: z.object({ reason: Reason }),
  run: async (tx, context, { reason }) => {
    const entry = { source: 'dashboard', reason, addedBy: toActor(context.caller) } as const
    await addNumbersToDoNotCallList(tx, context.workspace.id, { contactId: context.params.id }, entry)
    return redirectTo(contactPath(context), 'The number is now on the do-not-call list.')
  },
  back: (context) => contactPath(context),
})

export const removeContactFromDoNotCallListAction = defineAction({
  params: IdParams,
  form: z.object({ reason: Reason }),
  run: async (tx, context, { reason }) => {
    const removed = await removeNumberFromDoNotCallList(
      tx,
      context.caller,
      { contactId: context.params.id },
      reason,
    )
    return redirectTo(contactPath(context), removed ? removedMessage : notListedMessage)
  },
  back: (context) => contactPath(context),
})

const removedMessage =
  "The number was removed from the do-not-call list. Calls that ended with the outcome Suppressed aren't queued again."
const notListedMessage = "The number wasn't on the do-not-call list."

const contactPath = (context: IdContext) => pathTo(context, `/contacts/${context.params.id}`)

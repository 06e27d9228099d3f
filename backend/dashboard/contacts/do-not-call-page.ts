import { addContactTexts, boundedText, trimmedText } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { toActor } from '../../platform/core/actor.ts'
import { parsePhone } from '../../platform/core/phone.ts'
import { time } from '../../platform/views/elements.ts'
import { confirm, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { attributes, type Html, html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { labels } from '../../platform/views/labels.ts'
import { addNumbersToDoNotCallList, removeNumberFromDoNotCallList } from '../../queue/calls/do-not-call.ts'
import { defineForm, defineView, redirectTo, type View } from '../page/define-page.ts'
import { IdParams, type IdPathContext, type PageContext, pathTo } from '../page/page-context.ts'
import type { PageModel } from '../page/page-model.ts'
import { ContactQuery, findDoNotCallStatus, showContact } from './contact-page.ts'
import type { DoNotCallStatus } from './contact-view.ts'
import { doNotCallRemovals } from './do-not-call-removals.ts'

interface CheckedNumber extends DoNotCallStatus {
  phoneNumber: string
}

interface DoNotCallData {
  phoneLabel: string
  number: string
  /** Why the number to check isn't valid; empty if it is. */
  error: string
  result: CheckedNumber | null
}

const doNotCallView = defineView(({ ui, form }, { phoneLabel, number, error, result }: DoNotCallData) => {
  const addPath = ui.to('/contacts/do-not-call')
  const addForm = form.sentTo(addPath)
  return html`
    <a class="crumb" href="${ui.to('/contacts')}">${icon('back')} Contacts</a>
    <div class="page-head">
      <div>
        <h1>Do-not-call list</h1>
        <p class="lead">
          Campaigns never call these numbers. For privacy, Outdial stores the numbers in unreadable form, so this page can't
          list them. You can check one number at a time, or view the contacts that are on the list.
        </p>
      </div>
      <a class="button quiet small" href="${ui.to('/contacts?list=do_not_call')}">View contacts on the list</a>
    </div>
    <section class="panel" aria-labelledby="check">
      <h2 id="check">Check a number</h2>
      <form method="get" action="${ui.to('/contacts/do-not-call')}" class="filters" role="search">
        <div class="field">
          <label for="number">${phoneLabel}</label>
          <input
            id="number"
            name="number"
            type="tel"
            maxlength="64"
            autocomplete="off"
            value="${number}"
            placeholder="+12025550100"${attributes({ 'aria-invalid': error ? 'true' : null, 'aria-describedby': error ? 'number-issue' : null })}
          >
          ${error ? html`<p class="issue" id="number-issue">${error}</p>` : null}
        </div>
        <button class="quiet">Check number</button>
      </form>
      ${result === null ? null : checkResult({ ui, form }, result)}
    </section>
    ${pageForm(
      addForm,
      { action: addPath, class: 'panel stack form', 'aria-labelledby': 'add', novalidate: true },
      html`
        <h2 id="add">Add a number</h2>
        ${formMessage(addForm)}
        ${field({
          form: addForm,
          name: 'phone_number',
          label: phoneLabel,
          required: true,
          maxlength: 1000,
          autocomplete: 'off',
          placeholder: '+12025550100',
          hint: "You can enter several numbers. A number doesn't have to belong to a contact. Waiting calls to it end with the outcome Suppressed.",
        })}
        ${field({
          form: addForm,
          name: 'reason',
          label: labels.addToDoNotCallList.reason,
          required: true,
          maxlength: 500,
          autocomplete: 'off',
          hint: 'For example “Opted out by email on May 4”.',
        })}
        <div class="form-actions"><button class="primary">Add to list</button></div>
      `,
    )}
  `
})

/** Says if a number is on the do-not-call list, and when it was removed from it in the past. */
function checkResult({ ui, form }: Pick<PageModel, 'ui' | 'form'>, result: CheckedNumber): Html {
  const { phoneNumber, doNotCall, removals } = result
  const earlier =
    removals.length > 0 &&
    html`
      <h3>Earlier removals</h3>
      ${doNotCallRemovals({ ui, removals })}
    `
  if (doNotCall === null)
    return html`
      <p class="notice" data-tone="good"><strong>${phoneNumber}</strong> is not on the do-not-call list.</p>
      ${earlier}
    `
  return html`
    <div class="notice" data-tone="warn">
      <p>
        <strong>${phoneNumber}</strong> has been on the do-not-call list since
        ${time(ui, doNotCall.since)} (${doNotCall.source}).${
          doNotCall.reason
            ? html`
              ${labels.addToDoNotCallList.reason}: ${doNotCall.reason}`
            : null
        }
      </p>
      ${confirm({
        form,
        id: 'remove',
        look: 'quiet',
        action: ui.to('/contacts/do-not-call/remove'),
        fields: { phone_number: phoneNumber },
        label: 'Remove from list',
        question: `Remove ${phoneNumber} from the do-not-call list?`,
        detail: 'Make sure this person agreed to be called again. Your name and the reason are saved.',
        confirm: 'Remove number',
        reason: { name: 'reason', label: labels.addToDoNotCallList.reason },
      })}
    </div>
    ${earlier}
  `
}

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

/** Numbers are stored as hashes, so they can be checked one at a time but not listed. */
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

// The next three forms are dialogs. If the reason they ask for isn't valid, they show the page again, with the reason.

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

import { boundedText, withText } from '@outdial/contract'
import * as z from 'zod'
import { FormError } from '../../platform/core/form-errors.ts'
import { createTimeFormats, formatPlural } from '../../platform/views/format.ts'
import { field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import {
  extendRetention,
  getRetention,
  previewShorterRetention,
  shortenRetention,
  undoShorterRetention,
} from '../../privacy/change-retention.ts'
import { confirmPage, requireConfirmation } from '../page/confirm-page.ts'
import { defineAction, defineForm, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { formText } from '../page/forms.ts'
import { lockRights, pathTo, requireOwner } from '../page/page-context.ts'
import { retentionHint } from './retention-hint.ts'

const retentionView = defineView(
  ({ ui, form }, { days }: { days: number | null }) => html`
    <a class="crumb" href="${ui.to('/settings')}">${icon('back')} Settings</a>
    <h1>Conversation retention</h1>
    ${pageForm(
      form,
      { class: 'panel stack form', novalidate: true },
      html`
        ${formMessage(form)}
        ${field({
          form,
          name: 'retention_days',
          label: 'Days to keep conversations',
          value: days ?? '',
          inputmode: 'numeric',
          maxlength: 4,
          autocomplete: 'off',
          hint: 'From 1 to 3650 days after the call. Leave blank to keep conversations forever.',
        })}
        <p class="hint">
          A longer retention takes effect at once. A shorter one takes effect after 24 hours, and you can undo it until then. The
          next page shows how many conversations it erases.
        </p>
        ${retentionHint}
        <div class="form-actions">
          <button class="primary">Save</button>
          <a class="button quiet" href="${ui.to('/settings')}">Cancel</a>
        </div>
      `,
    )}
  `,
)

const settingsPath = (context: Parameters<typeof pathTo>[0]) => pathTo(context, '/settings')

export const retentionPage = defineForm({
  query: noInput,
  form: z.object({
    retention_days: boundedText(100, withText('invalid_format.days'))
      .trim()
      .regex(/^\d{1,9}$/, withText('invalid_format.days'))
      .transform(Number)
      .optional(),
  }),
  show: async (deps, context) => {
    requireOwner(context)
    const { days } = await getRetention(deps, context.workspace.id)
    return retentionView('Conversation retention', { days })
  },
  loadEdited: (deps, { workspace }) => getRetention(deps, workspace.id),
  submit: async (tx, context, { retention_days: days = null }) => {
    await lockRights(tx, context, 'owner')
    if (await extendRetention(tx, context.workspace.id, days))
      return redirectTo(settingsPath(context), 'Conversation retention saved.')
    return redirectTo(pathTo(context, `/settings/retention/shorten?days=${days}`))
  },
})

export const shortenRetentionPage = defineForm({
  query: z.object({ days: z.coerce.number().int().min(1).max(3650).optional().catch(undefined) }),
  form: z.object({ confirmation: formText.default('') }),
  show: async (deps, context) => {
    requireOwner(context)
    const { workspace, query } = context
    const back = { path: '/settings/retention', label: 'Conversation retention' }
    const shorter =
      query.days === undefined ? undefined : await previewShorterRetention(deps, workspace.id, query.days)
    if (shorter === undefined) return notShorterView('Conversation retention', {})
    const { days, at, callCount } = shorter
    const age = formatPlural(days, 'day')
    const heading = `Keep conversations for ${age}`
    const time = createTimeFormats(deps.clock.now(), workspace.timeZone).fullTime(at)
    return confirmPage(heading, {
      heading,
      effects: [
        `This takes effect in 24 hours, on ${time}. You can undo it until then under Settings.`,
        `When it takes effect, Outdial permanently deletes ${formatConversations(callCount)}.`,
        `After that, Outdial deletes each conversation when it gets older than ${age}.`,
      ],
      notes: [],
      confirmation: `Type “${workspace.name}” to confirm`,
      submitLabel: 'Shorten retention',
      back,
      fields: {},
    })
  },
  submit: async (tx, context, { confirmation }) => {
    await lockRights(tx, context, 'owner')
    const { workspace, query } = context
    if (query.days === undefined) throw missingDays()
    requireConfirmation(confirmation, [workspace.name])
    await shortenRetention(tx, workspace.id, query.days)
    return redirectTo(settingsPath(context), 'Retention saved. It takes effect in 24 hours.')
  },
})

const formatConversations = (callCount: number): string =>
  callCount === 1 ? 'the conversation of 1 call' : `the conversations of ${formatPlural(callCount, 'call')}`

const notShorterView = defineView(
  ({ ui }) => html`
    <a class="crumb" href="${ui.to('/settings')}">${icon('back')} Settings</a>
    <h1>Conversation retention</h1>
    <section class="panel form" aria-label="Conversation retention">
      <p>This isn't shorter than the current retention, so there is nothing to confirm. Enter the number of days again.</p>
      <div class="form-actions"><a class="button primary" href="${ui.to('/settings/retention')}">Change retention</a></div>
    </section>
  `,
)

const missingDays = () =>
  new FormError('validation_failed', 'Enter the number of days under Settings → Conversation retention.')

export const undoRetentionAction = defineAction({
  form: noInput,
  run: async (tx, context) => {
    await lockRights(tx, context, 'owner')
    await undoShorterRetention(tx, context.workspace.id)
    return redirectTo(settingsPath(context), 'Undone. The retention stays as it was.')
  },
  back: settingsPath,
})

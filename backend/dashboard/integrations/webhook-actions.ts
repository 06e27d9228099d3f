import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { formatCount } from '../../platform/views/format.ts'
import { formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { labels } from '../../platform/views/labels.ts'
import { replayDeliveries } from '../../webhooks/outbox.ts'
import { sendTestEvent } from '../../webhooks/send-test-event.ts'
import { rotateSubscriptionSecret } from '../../webhooks/signing-secrets.ts'
import {
  enableSubscription,
  getSubscription,
  unsubscribe,
  waitForAttemptsInProgress,
} from '../../webhooks/subscriptions.ts'
import { defineAction, defineForm, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { formText } from '../page/forms.ts'
import {
  type IdContext,
  IdParams,
  type IdPathContext,
  lockRights,
  pathTo,
  requireOwner,
} from '../page/page-context.ts'
import { secretPage } from '../page/secret-page.ts'
import { submitOnce } from '../page/submit-once.ts'

const webhookPath = (context: IdPathContext) => pathTo(context, `/integrations/webhooks/${context.params.id}`)

export const formatReplayMessage = (count: number): string => {
  if (count === 0) return 'No failed deliveries to send again.'
  return count === 1 ? 'Sending 1 delivery again.' : `Sending ${formatCount(count)} deliveries again.`
}

export const sendTestEventAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    const delivery = await sendTestEvent(tx, context.workspace.id, context.params.id)
    const to = pathTo(context, `/integrations/deliveries/${delivery}`)
    return redirectTo(to, 'Test event queued. The response appears on this page.')
  },
  back: webhookPath,
})

export const enableWebhookAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    await lockRights(tx, context, 'member')
    await enableSubscription(tx, context.workspace.id, context.params.id)
    return redirectTo(
      webhookPath(context),
      'Subscription enabled. Send a test event to check that the receiver responds.',
    )
  },
  back: webhookPath,
})

/** Replays a webhook's deliveries. Isn't in a transaction, because they can be many. Replaying them twice does no harm. */
export const replayWebhookAction = defineAction({
  params: IdParams,
  form: noInput,
  isOnce: false,
  run: async (deps, context) => {
    const {
      workspace,
      params: { id },
    } = context
    await getSubscription(deps, workspace.id, id)
    return redirectTo(
      webhookPath(context),
      formatReplayMessage(await replayDeliveries(deps, workspace.id, { subscriptionId: id })),
    )
  },
  back: webhookPath,
})

/** Removes a subscription. Responds after the transaction, once no delivery attempt to it is in progress. */
export const removeWebhookAction = defineAction({
  params: IdParams,
  form: z.object({ _once: formText.optional() }),
  isOnce: false,
  isCostly: false,
  run: async (deps, context, raw) => {
    const {
      workspace,
      params: { id },
    } = context
    const path = `${webhookPath(context)}/remove`
    const result = await submitOnce(deps, context, { path, raw }, async (tx) => {
      await unsubscribe(tx, context.caller, id)
      return redirectTo(pathTo(context, '/integrations/webhooks'), 'Subscription removed.')
    })
    await waitForAttemptsInProgress(deps, workspace.id, id)
    return result
  },
  back: webhookPath,
})

const rotateSecretView = defineView(
  ({ ui, form }, { id, target_url }: { id: number; target_url: string }) => html`
    <a
      class="crumb"
      href="${ui.to(`/integrations/webhooks/${id}`)}"
    >${icon('back')} Webhook</a>
    <h1>Rotate signing secret</h1>
    ${pageForm(
      form,
      { class: 'panel stack form' },
      html`
        ${formMessage(form)}
        <p>This creates a new signing secret for deliveries to <code class="target">${target_url}</code>.</p>
        <p class="soft">
          The next page shows the new secret once. For 24 hours, deliveries are signed with both secrets, so you have time
          to update the receiver. If you rotate again within that time, the oldest secret stops working immediately. Zaps
          are not affected because Zapier does not check signatures.
        </p>
        <div class="form-actions">
          <button class="primary">Rotate secret</button>
          <a class="button quiet" href="${ui.to(`/integrations/webhooks/${id}`)}">Cancel</a>
        </div>
      `,
    )}
  `,
)

/** Rotates the signing secret. Shows the new one only in the response to the form. */
export const rotateSecretPage = defineForm({
  params: IdParams,
  query: noInput,
  form: noInput,
  show: async (deps, context) => {
    const { id, target_url, managedBy } = await findSubscription(deps, context)
    if (managedBy === 'owner') requireOwner(context)
    return rotateSecretView('Rotate signing secret', { id, target_url })
  },
  submit: async (tx, context) => {
    const { id, managedBy } = await findSubscription(tx, context)
    await lockRights(tx, context, managedBy)
    const { secret } = await rotateSubscriptionSecret(tx, context.workspace.id, id)
    return secretPage('New signing secret', {
      heading: 'Signing secret rotated',
      lead: "Copy the new secret now. It won't be shown again.",
      label: labels.subscription.secret,
      secret,
      notes: [
        'For 24 hours, deliveries are also signed with the previous secret. Update the receiver within that time.',
      ],
      back: { path: `/integrations/webhooks/${id}`, label: 'Webhook' },
    })
  },
})

/** Finds a subscription. `managedBy` is the role needed to manage it: members can manage only their own subscriptions. */
async function findSubscription(deps: Pick<Deps, 'db'>, context: IdContext) {
  const subscription = await getSubscription(deps, context.workspace.id, context.params.id)
  const managedBy: 'member' | 'owner' = subscription.user_id === context.user.userId ? 'member' : 'owner'
  return { ...subscription, managedBy }
}

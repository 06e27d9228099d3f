import type { Deps } from '../../deps.ts'
import { replayDeliveries } from '../../webhooks/outbox.ts'
import { sendTestEvent } from '../../webhooks/send-test-event.ts'
import { rotateSubscriptionSecret } from '../../webhooks/signing-secrets.ts'
import { enableSubscription, getSubscription, unsubscribe } from '../../webhooks/subscriptions.ts'
import { defineAction, defineForm, noInput, redirectTo, template } from '../page/define-page.ts'
import { formatCount } from '../page/format.ts'
import { type IdContext, IdParams, pathTo, requireOwner } from '../page/page-context.ts'
import { secretPage } from '../page/secret-page.ts'

const webhookPath = (context: IdContext) => pathTo(context, `/integrations/webhooks/${context.params.id}`)

export const formatReplayMessage = (count: number): string => {
  if (count === 0) return 'Nothing was given up: nothing is sent again.'
  return count === 1 ? 'It is sent again now.' : `${formatCount(count)} are sent again now.`
}

export const sendTestEventAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    const delivery = await sendTestEvent(tx, context.workspace.id, context.params.id)
    const to = pathTo(context, `/integrations/deliveries/${delivery}`)
    return redirectTo(to, 'The test event is on its way. This page shows what the receiver answers.')
  },
  back: webhookPath,
})

export const enableWebhookAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    await enableSubscription(tx, context.workspace.id, context.params.id)
    return redirectTo(
      webhookPath(context),
      'The subscription is enabled. A test event shows whether the receiver answers.',
    )
  },
  back: webhookPath,
})

export const replayWebhookAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    const {
      workspace,
      params: { id },
    } = context
    await getSubscription(tx, workspace.id, id)
    return redirectTo(
      webhookPath(context),
      formatReplayMessage(await replayDeliveries(tx, workspace.id, { subscriptionId: id })),
    )
  },
  back: webhookPath,
})

export const removeWebhookAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    await unsubscribe(tx, context.caller, context.params.id)
    return redirectTo(pathTo(context, '/integrations/webhooks'), 'The subscription was removed.')
  },
  back: webhookPath,
})

const rotateSecretView = template<{ id: number; targetUrl: string }>(
  'dashboard/integrations/rotate-webhook-secret-page',
)

/** The new secret stands on the page that answers the form, and nowhere else. */
export const rotateSecretPage = defineForm({
  params: IdParams,
  query: noInput,
  form: noInput,
  show: async (deps, context) => {
    const { id, target_url } = await requireManageableSubscription(deps, context)
    return rotateSecretView('Rotate the secret', { id, targetUrl: target_url })
  },
  submit: async (tx, context) => {
    const { id } = await requireManageableSubscription(tx, context)
    const { secret } = await rotateSubscriptionSecret(tx, context.workspace.id, id)
    return secretPage('The new secret', {
      heading: 'The secret was rotated',
      lead: 'Copy the new one now: it is shown this one time.',
      label: 'Signing secret',
      secret,
      notes: [
        'For 24 hours every delivery is signed with the old one as well. Give the receiver the new one by then.',
      ],
      back: { path: `/integrations/webhooks/${id}`, label: 'The subscription' },
    })
  },
})

async function requireManageableSubscription(deps: Pick<Deps, 'db'>, context: IdContext) {
  const subscription = await getSubscription(deps, context.workspace.id, context.params.id)
  if (subscription.user_id !== context.user.userId) requireOwner(context)
  return subscription
}

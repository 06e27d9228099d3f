import type { Deps } from '../../deps.ts'
import { replayDeliveries } from '../../webhooks/outbox.ts'
import { sendTestEvent } from '../../webhooks/send-test-event.ts'
import { rotateSubscriptionSecret } from '../../webhooks/signing-secrets.ts'
import { enableSubscription, getSubscription, unsubscribe } from '../../webhooks/subscriptions.ts'
import { type PageContext, pathTo, requireOwner } from '../page/page-context.ts'
import { actionRoute, formRoute, noInput, redirectTo, template } from '../page/page-route.ts'
import { secretPage } from './secret-page.ts'

const webhookPath = (context: PageContext) => pathTo(context, `/integrations/webhooks/${context.id}`)

export const formatReplayed = (count: number): string => {
  if (count === 0) return 'Nothing was given up: nothing is sent again.'
  return count === 1 ? 'It is sent again now.' : `${count.toLocaleString('en-US')} are sent again now.`
}

export const sendTestEventAction = () =>
  actionRoute({
    path: '/integrations/webhooks/:id/test',
    form: noInput,
    run: async (tx, context) => {
      const delivery = await sendTestEvent(tx, context.workspace.id, context.id)
      const to = pathTo(context, `/integrations/deliveries/${delivery}`)
      return redirectTo(to, 'The test event is on its way. This page shows what the receiver answers.')
    },
    back: webhookPath,
  })

export const enableWebhookAction = () =>
  actionRoute({
    path: '/integrations/webhooks/:id/enable',
    form: noInput,
    run: async (tx, context) => {
      await enableSubscription(tx, context.workspace.id, context.id)
      return redirectTo(
        webhookPath(context),
        'The subscription is enabled. A test event shows whether the receiver answers.',
      )
    },
    back: webhookPath,
  })

export const replayWebhookAction = () =>
  actionRoute({
    path: '/integrations/webhooks/:id/replay',
    form: noInput,
    run: async (tx, context) => {
      const { workspace, id } = context
      await getSubscription(tx, workspace.id, id)
      return redirectTo(
        webhookPath(context),
        formatReplayed(await replayDeliveries(tx, workspace.id, { subscriptionId: id })),
      )
    },
    back: webhookPath,
  })

export const removeWebhookAction = () =>
  actionRoute({
    path: '/integrations/webhooks/:id/remove',
    form: noInput,
    run: async (tx, context) => {
      await unsubscribe(tx, context.caller, context.id)
      return redirectTo(pathTo(context, '/integrations/webhooks'), 'The subscription was removed.')
    },
    back: webhookPath,
  })

const rotateSecretView = template<{ id: number; targetUrl: string }>(
  'dashboard/integrations/rotate-webhook-secret-page',
)

/** The new secret stands on the page that answers the form, and nowhere else. */
export const rotateSecretPage = (deps: Deps) =>
  formRoute({
    path: '/integrations/webhooks/:id/rotate',
    query: noInput,
    form: noInput,
    show: async (context) => {
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

async function requireManageableSubscription(deps: Pick<Deps, 'db'>, context: PageContext) {
  const subscription = await getSubscription(deps, context.workspace.id, context.id)
  if (subscription.user_id !== context.user.userId) requireOwner(context)
  return subscription
}

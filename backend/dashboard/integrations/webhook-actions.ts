import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { enableSubscription } from '../../webhooks/enable.ts'
import { replayDeliveries } from '../../webhooks/replay.ts'
import { rotateSecret } from '../../webhooks/signing-secrets.ts'
import { sendTestEvent } from '../../webhooks/send-test.ts'
import { findSubscription } from '../../webhooks/subscription-store.ts'
import { unsubscribe } from '../../webhooks/unsubscribe.ts'
import { act, form, none } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo, requireOwner, type Visit } from '../visit.ts'
import { secretPage } from './secret-page.ts'

const pageOf = (visit: Visit) => pathTo(visit, `/integrations/webhooks/${visit.id}`)

export const replayedInWords = (count: number): string => {
  if (count === 0) return 'Nothing was given up: nothing is sent again.'
  return count === 1 ? 'It is sent again now.' : `${count.toLocaleString('en-US')} are sent again now.`
}

export const sendTest = () =>
  act({
    path: '/integrations/webhooks/:id/test',
    form: none,
    act: async (own, visit) => {
      const delivery = await sendTestEvent(own)(visit.workspace.id, visit.id)
      const to = pathTo(visit, `/integrations/deliveries/${delivery}`)
      return done(to, 'The test event is on its way. This page shows what the receiver answers.')
    },
    back: pageOf,
  })

export const enable = () =>
  act({
    path: '/integrations/webhooks/:id/enable',
    form: none,
    act: async (own, visit) => {
      await enableSubscription(own)(visit.workspace.id, visit.id)
      return done(
        pageOf(visit),
        'The subscription is enabled. A test event shows whether the receiver answers.',
      )
    },
    back: pageOf,
  })

export const replayAll = () =>
  act({
    path: '/integrations/webhooks/:id/replay',
    form: none,
    act: async (own, visit) => {
      const { workspace, id } = visit
      if (!(await findSubscription(own.db, workspace.id, id)))
        throw notFound('There is no such subscription.')
      return done(
        pageOf(visit),
        replayedInWords(await replayDeliveries(own)(workspace.id, { subscriptionId: id })),
      )
    },
    back: pageOf,
  })

export const remove = () =>
  act({
    path: '/integrations/webhooks/:id/remove',
    form: none,
    act: async (own, visit) => {
      await unsubscribe(own)(visit.caller, visit.id)
      return done(pathTo(visit, '/integrations/webhooks'), 'The subscription was removed.')
    },
    back: pageOf,
  })

const rotatePage = template<{ id: number; targetUrl: string }>('dashboard/integrations/rotate-webhook-secret-page')

/** The new secret stands on the page that answers the form, and nowhere else. */
export const rotate = (deps: Deps) =>
  form({
    path: '/integrations/webhooks/:id/rotate',
    query: none,
    form: none,
    show: async (visit) => {
      const { id, target_url } = await findOwn(deps, visit)
      return rotatePage('Rotate the secret', { id, targetUrl: target_url })
    },
    submit: async (own, visit) => {
      const { id } = await findOwn(own, visit)
      const { secret } = await rotateSecret(own)(visit.workspace.id, id)
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

async function findOwn({ db }: Pick<Deps, 'db'>, visit: Visit) {
  const subscription = await findSubscription(db, visit.workspace.id, visit.id)
  if (subscription === undefined) throw notFound('There is no such subscription.')
  if (subscription.user_id !== visit.person.userId) requireOwner(visit)
  return subscription
}

import { replayDeliveries } from '../../webhooks/outbox.ts'
import {
  getPreviousSecretUntil,
  revealWorkspaceSecret,
  rotateWorkspaceSecret,
} from '../../webhooks/signing-secrets.ts'
import { defineAction, defineForm, definePage, noInput, redirectTo, template } from '../page/define-page.ts'
import { type PageContext, pathTo, requireOwner } from '../page/page-context.ts'
import { secretPage } from '../page/secret-page.ts'
import { DeliveryQuery, type DeliveryTable, readDeliveryTable } from './delivery-pages.ts'
import { formatReplayMessage } from './webhook-actions.ts'
import { countCallbackDeliveries } from './webhook-queries.ts'

interface CallbacksData {
  pending: number
  exhausted: number
  previousSecretUntil: Date | null
  table: DeliveryTable
}

const callbacksPath = '/integrations/callbacks'
const callbacksView = template<CallbacksData>('dashboard/integrations/callbacks-page')
const callbacksLink = { path: callbacksPath, label: 'Callback URLs' }
const toCallbacks = (context: PageContext) => pathTo(context, callbacksPath)

export const callbacksPage = definePage({
  query: DeliveryQuery,
  show: async (deps, context) => {
    const { pending, exhausted } = await countCallbackDeliveries(deps.db, context.workspace.id)
    const previousUntil = await getPreviousSecretUntil(deps, context.workspace.id)
    const previousStillSigns = previousUntil !== null && previousUntil > deps.clock.now()
    return callbacksView('Callback URLs', {
      pending,
      exhausted,
      previousSecretUntil: previousStillSigns ? previousUntil : null,
      table: await readDeliveryTable(deps, context, {
        subscriptionId: null,
        path: callbacksPath,
        showTarget: true,
      }),
    })
  },
})

export const replayCallbacksAction = defineAction({
  form: noInput,
  run: async (tx, context) => {
    const count = await replayDeliveries(tx, context.workspace.id, { subscriptionId: null })
    return redirectTo(toCallbacks(context), formatReplayMessage(count))
  },
  back: toCallbacks,
})

const signingSecretView = template<{ what: 'reveal' | 'rotate' }>(
  'dashboard/integrations/signing-secret-page',
)

export const revealSecretPage = defineForm({
  query: noInput,
  form: noInput,
  isOnce: false,
  show: async (_, context) => {
    requireOwner(context)
    return signingSecretView('Show signing secret', { what: 'reveal' })
  },
  submit: async (deps, context) => {
    requireOwner(context)
    const { secret } = await revealWorkspaceSecret(deps, context.workspace.id)
    return secretPage('Signing secret', {
      heading: 'Signing secret',
      lead: 'Keep the secret safe. Anyone who has it can forge deliveries to your callback URLs.',
      label: 'Signing secret',
      secret,
      notes: ['This secret signs deliveries to callback URLs. Each webhook subscription has its own secret.'],
      back: callbacksLink,
    })
  },
})

export const rotateSigningSecretPage = defineForm({
  query: noInput,
  form: noInput,
  show: async (_, context) => {
    requireOwner(context)
    return signingSecretView('Rotate signing secret', { what: 'rotate' })
  },
  submit: async (tx, context) => {
    requireOwner(context)
    const { secret } = await rotateWorkspaceSecret(tx, context.workspace.id)
    return secretPage('New signing secret', {
      heading: 'Signing secret rotated',
      lead: 'Enter the new secret in every app that receives events at a callback URL.',
      label: 'Signing secret',
      secret,
      notes: ['For 24 hours, deliveries are also signed with the previous secret.'],
      back: callbacksLink,
    })
  },
})

import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import { inTransaction } from '../../db/transaction.ts'
import { replayDeliveries } from '../../webhooks/outbox.ts'
import {
  getPreviousSecretUntil,
  revealOriginSecret,
  rotateWorkspaceSecret,
} from '../../webhooks/signing-secrets.ts'
import { defineAction, defineForm, definePage, noInput, redirectTo, template } from '../page/define-page.ts'
import { lockRights, type PathContext, pathTo, requireOwner } from '../page/page-context.ts'
import { secretPage } from '../page/secret-page.ts'
import { DeliveryQuery, type DeliveryTable, readDeliveryTable } from './delivery-pages.ts'
import { formatReplayMessage } from './webhook-actions.ts'
import { countCallbackDeliveries, selectCallbackOrigins } from './webhook-queries.ts'

interface CallbacksData {
  pending: number
  exhausted: number
  previousSecretUntil: Date | null
  /** Origins of callback URLs, such as https://example.com. */
  origins: string[]
  table: DeliveryTable
}

const callbacksPath = '/integrations/callbacks'
const callbacksView = template<CallbacksData>('dashboard/integrations/callbacks-page')
const callbacksLink = { path: callbacksPath, label: 'Callback URLs' }
const toCallbacks = (context: PathContext) => pathTo(context, callbacksPath)

export const callbacksPage = definePage({
  toleratesLag: true,
  query: DeliveryQuery,
  show: async (deps, context) => {
    const { pending, exhausted } = await countCallbackDeliveries(deps.db, context.workspace.id)
    const previousUntil = await getPreviousSecretUntil(deps, context.workspace.id)
    const previousStillSigns = previousUntil !== null && previousUntil > deps.clock.now()
    return callbacksView('Callback URLs', {
      pending,
      exhausted,
      previousSecretUntil: previousStillSigns ? previousUntil : null,
      origins: await selectCallbackOrigins(deps.db, context.workspace.id),
      table: await readDeliveryTable(deps, context, {
        subscriptionId: null,
        path: callbacksPath,
        showTarget: true,
      }),
    })
  },
})

/** Doesn't hold a transaction, because there can be many deliveries. Replaying them twice does nothing. */
export const replayCallbacksAction = defineAction({
  form: noInput,
  isOnce: false,
  run: async (deps, context) => {
    const count = await replayDeliveries(deps, context.workspace.id, { subscriptionId: null })
    return redirectTo(toCallbacks(context), formatReplayMessage(count))
  },
  back: toCallbacks,
})

const revealSecretView = template<{ url: string }>('dashboard/integrations/reveal-secret-page')
const rotateSecretView = template<object>('dashboard/integrations/rotate-callback-secret-page')

export const revealSecretPage = defineForm({
  query: z.object({ url: boundedText(2000).catch('') }),
  form: z.object({ url: boundedText(2000).check(z.url({ protocol: /^https?$/ })) }),
  isOnce: false,
  show: async (_, context) => {
    requireOwner(context)
    return revealSecretView('Show signing secret', { url: context.query.url })
  },
  submit: async (deps, context, { url }) => {
    const { secret } = await inTransaction(deps, async (tx) => {
      await lockRights(tx, context, 'owner')
      return revealOriginSecret(tx, context.workspace.id, url)
    })
    const { origin } = new URL(url)
    return secretPage('Signing secret', {
      heading: `Signing secret for ${origin}`,
      lead: 'Keep the secret safe. Anyone who has it can forge deliveries to your callback URLs at this address.',
      label: 'Signing secret',
      secret,
      notes: [
        `This secret signs deliveries to every callback URL that starts with ${origin}/. Other addresses and webhook subscriptions have different secrets.`,
      ],
      back: callbacksLink,
    })
  },
})

export const rotateSigningSecretPage = defineForm({
  query: noInput,
  form: noInput,
  show: async (_, context) => {
    requireOwner(context)
    return rotateSecretView('Rotate signing secrets', {})
  },
  submit: async (tx, context) => {
    await lockRights(tx, context, 'owner')
    await rotateWorkspaceSecret(tx, context.workspace.id)
    return redirectTo(toCallbacks(context), 'Signing secrets rotated. Enter the new ones in your receivers.')
  },
})

import { boundedText } from '@outdial/contract'
import * as z from 'zod'
import { inTransaction } from '../../platform/db/transaction.ts'
import { time } from '../../platform/views/elements.ts'
import { confirm, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { labels } from '../../platform/views/labels.ts'
import { replayDeliveries } from '../../webhooks/outbox.ts'
import {
  getPreviousSecretUntil,
  revealOriginSecret,
  rotateWorkspaceSecret,
} from '../../webhooks/signing-secrets.ts'
import { defineAction, defineForm, definePage, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { lockRights, type PathContext, pathTo, requireOwner } from '../page/page-context.ts'
import { secretPage } from '../page/secret-page.ts'
import { DeliveryQuery, type DeliveryTable, readDeliveryTable } from './delivery-pages.ts'
import { deliveryTable } from './delivery-table.ts'
import { formatReplayMessage } from './webhook-actions.ts'
import { countCallbackDeliveries, selectCallbackOrigins } from './webhook-queries.ts'

interface CallbacksData {
  exhausted: number
  previousSecretUntil: Date | null
  /** Origins of callback URLs, such as https://example.com. */
  origins: string[]
  table: DeliveryTable
}

const callbacksPath = '/integrations/callbacks'

const callbacksView = defineView(
  ({ ui, isOwner, form, here }, { origins, previousSecretUntil, exhausted, table }: CallbacksData) => html`
    <a class="crumb" href="${ui.to('/integrations/webhooks')}">${icon('back')} Webhooks</a>
    <div class="page-head">
      <div>
        <h1>Callback URLs</h1>
        <p class="lead">
          If a call is queued with a <code>callback_url</code>, Outdial sends its <code>call.completed</code> event to that URL.
          Webhook subscriptions receive the event too.
        </p>
      </div>
    </div>
    <section class="panel" aria-labelledby="secret">
      <div class="panel-head">
        <h2 id="secret">Signing secrets</h2>
        ${
          isOwner &&
          html`
            <div class="row">
              <a class="button quiet small" href="${ui.to('/integrations/callbacks/reveal-secret')}">Show secret</a>
              <a class="button quiet small" href="${ui.to('/integrations/callbacks/rotate-secret')}">Rotate secrets</a>
            </div>
          `
        }
      </div>
      <p class="soft">
        Outdial signs deliveries to callback URLs, with a different signing secret for each address. Signatures follow the
        Standard Webhooks specification.${!isOwner && ' Only workspace owners can see the secrets.'}
      </p>
      ${
        isOwner &&
        origins.length > 0 &&
        html`
          <ul>
            ${origins.map(
              (origin) => html`
                <li>
                  <a href="${ui.to(`/integrations/callbacks/reveal-secret?url=${encodeURIComponent(origin)}`)}">Show secret for ${origin}</a>
                </li>
              `,
            )}
          </ul>
        `
      }
      ${
        previousSecretUntil
          ? html`
            <p class="notice">
              The secrets were rotated. Until ${time(ui, previousSecretUntil)}, deliveries are signed with both the old and the new
              secrets.
            </p>
          `
          : null
      }
    </section>
    ${
      exhausted > 0 &&
      html`
        <div class="notice row" data-tone="warn">
          <span>${ui.plural(exhausted, 'delivery', 'deliveries')} failed and will not be retried.</span>
          ${confirm({
            form,
            id: 'replay',
            action: ui.to('/integrations/callbacks/replay'),
            look: 'quiet',
            label: 'Send all again',
            question: `Send ${ui.plural(exhausted, 'delivery', 'deliveries')} again?`,
            detail: 'Each event keeps its ID, so receivers can recognize events they already have.',
            confirm: 'Send failed deliveries again',
          })}
        </div>
      `
    }
    ${deliveryTable({
      ui,
      table,
      here,
      empty: 'Deliveries appear here when a call that was queued with callback_url is completed.',
    })}
  `,
)

const callbacksLink = { path: callbacksPath, label: 'Callback URLs' }

const toCallbacks = (context: PathContext) => pathTo(context, callbacksPath)

export const callbacksPage = definePage({
  toleratesLag: true,
  query: DeliveryQuery,
  show: async (deps, context) => {
    const { exhausted } = await countCallbackDeliveries(deps.db, context.workspace.id)
    const previousUntil = await getPreviousSecretUntil(deps, context.workspace.id)
    const previousStillSigns = previousUntil !== null && previousUntil > deps.clock.now()
    return callbacksView('Callback URLs', {
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

/** Replays deliveries to callback URLs. Isn't in a transaction, because they can be many. Replaying them twice does no harm. */
export const replayCallbacksAction = defineAction({
  form: noInput,
  isOnce: false,
  run: async (deps, context) => {
    const count = await replayDeliveries(deps, context.workspace.id, { subscriptionId: null })
    return redirectTo(toCallbacks(context), formatReplayMessage(count))
  },
  back: toCallbacks,
})

const revealSecretView = defineView(
  ({ ui, form }, { url }: { url: string }) => html`
    <a class="crumb" href="${ui.to('/integrations/callbacks')}">${icon('back')} Callback URLs</a>
    <h1>Show signing secret</h1>
    ${pageForm(
      form,
      { class: 'panel stack form' },
      html`
        ${formMessage(form)}
        <p>Each address that receives events has its own signing secret. The next page shows the one for this callback URL.</p>
        ${field({
          form,
          name: 'url',
          label: labels.addContact.callback_url,
          value: url,
          type: 'url',
          hint: 'The start of the URL is enough, for example https://example.com.',
          required: true,
        })}
        <div class="form-actions">
          <button class="primary">Show secret</button>
          <a class="button quiet" href="${ui.to('/integrations/callbacks')}">Cancel</a>
        </div>
      `,
    )}
  `,
)

const rotateSecretView = defineView(
  ({ ui, form, workspace }) => html`
    <a class="crumb" href="${ui.to('/integrations/callbacks')}">${icon('back')} Callback URLs</a>
    <h1>Rotate signing secrets</h1>
    ${pageForm(
      form,
      { class: 'panel stack form' },
      html`
        ${formMessage(form)}
        <p>This creates new signing secrets for events that the workspace ${workspace.name} sends to callback URLs.</p>
        <p class="soft">
          For 24 hours, deliveries are signed with both the old and the new secret, so you have time to update your receivers. If you rotate
          again within that time, the oldest secrets stop working immediately.
        </p>
        <div class="form-actions">
          <button class="primary">Rotate secrets</button>
          <a class="button quiet" href="${ui.to('/integrations/callbacks')}">Cancel</a>
        </div>
      `,
    )}
  `,
)

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

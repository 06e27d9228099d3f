import { text, trimmedText } from '@outdial/contract'
import * as z from 'zod'
import { revokeApiKey } from '../../accounts/access/revoke-connection.ts'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { FormError } from '../../platform/core/form-errors.ts'
import { badge, time } from '../../platform/views/elements.ts'
import { formatRemovedSubscriptions, formatSubscriptionsToRemove } from '../../platform/views/format.ts'
import { confirm, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html, type Slot } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { defineAction, defineForm, definePage, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { IdParams, lockRights, pathTo } from '../page/page-context.ts'
import type { PageModel } from '../page/page-model.ts'
import { secretPage } from '../page/secret-page.ts'
import { type ApiKey, findApiKey, selectApiKeys } from './api-key-queries.ts'
import { settingsTabs } from './settings-tabs.ts'

const apiKeysPath = '/settings/api-keys'

const apiKeyListView = defineView(
  ({ ui, form, isOwner, user }, { keys }: { keys: readonly ApiKey[] }) => html`
    <div class="page-head">
      <h1>Settings</h1>
    </div>
    ${settingsTabs({ ui, here: '/settings/api-keys' })}
    <div class="page-head">
      <div>
        <h2>API keys</h2>
        <p class="lead">Your own code uses API keys to access this workspace. A key acts on behalf of the member who created it, in this workspace only.</p>
      </div>
      <a class="button primary" href="${ui.to('/settings/api-keys/new')}">Create API key</a>
    </div>
    <section class="panel flush" aria-label="API keys">
      ${
        keys.length === 0
          ? html`
            <div class="empty">
              <p><strong>No API keys yet.</strong></p>
              <p>Your scripts and servers send a key with each request. Zapier doesn't need a key, because you sign in to connect it.</p>
              <a class="button quiet" href="${ui.to('/settings/api-keys/new')}">Create your first key</a>
            </div>
          `
          : html`
            <div class="table-scroll" tabindex="0" role="group" aria-label="API keys">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Created by</th>
                    <th scope="col">Last used</th>
                    <th scope="col" class="number">Webhooks</th>
                    <th scope="col"><span class="visually-hidden">Actions</span></th>
                  </tr>
                </thead>
                <tbody>
                  ${keys.map(
                    (key) => html`
                      <tr>
                        <th scope="row">${key.name}<small><code>${key.prefix}…</code></small></th>
                        <td>${key.creator_name}<small>${time(ui, key.created_at)}</small></td>
                        <td class="nowrap">
                          ${key.last_used_at ? time(ui, key.last_used_at, 'ago') : html`<span class="soft">Never</span>`}
                        </td>
                        <td class="number">${ui.count(key.subscription_count)}</td>
                        <td class="actions-cell">
                          ${revocation({ ui, form }, key, isOwner || key.user_id === user.userId)}
                        </td>
                      </tr>
                    `,
                  )}
                </tbody>
              </table>
            </div>
          `
      }
    </section>
  `,
)

/** Says that a key was revoked, or offers to revoke it. */
function revocation({ ui, form }: Pick<PageModel, 'ui' | 'form'>, key: ApiKey, canRevoke: boolean): Slot {
  if (key.revoked_at !== null)
    return html`
      ${badge({ tone: 'mute', text: 'Revoked' })}
      <small>${time(ui, key.revoked_at)}</small>
    `
  if (!canRevoke) return null
  return confirm({
    form,
    id: `revoke-${key.id}`,
    action: ui.to(`/settings/api-keys/${key.id}/revoke`),
    label: 'Revoke',
    question: `Revoke the API key “${key.name}”?`,
    detail: formatRevokeDetail(key.subscription_count),
    confirm: 'Revoke key',
  })
}

const newApiKeyView = defineView(
  ({ ui, form }) => html`
    <a class="crumb" href="${ui.to('/settings/api-keys')}">${icon('back')} API keys</a>
    <h1>Create API key</h1>
    ${pageForm(
      form,
      { class: 'panel stack form' },
      html`
        ${formMessage(form)}
        ${field({
          form,
          name: 'name',
          label: 'Name',
          required: true,
          maxlength: 100,
          autocomplete: 'off',
          placeholder: 'Nightly import',
          hint: 'What the key is for, so you know what stops working if you revoke it.',
        })}
        <div class="form-actions">
          <button class="primary">Create key</button>
          <a class="button quiet" href="${ui.to('/settings/api-keys')}">Cancel</a>
        </div>
      `,
    )}
  `,
)

const NewKey = z.object({ name: trimmedText(100).pipe(text(100)) })

export const apiKeyListPage = definePage({
  query: noInput,
  show: async (deps, { workspace }) =>
    apiKeyListView('API keys', { keys: await selectApiKeys(deps.db, workspace.id) }),
})

function formatRevokeDetail(subscriptionCount: number): string {
  const removed = subscriptionCount === 0 ? '' : `, and ${formatSubscriptionsToRemove(subscriptionCount)}`
  return `Requests with this key stop working immediately${removed}. You can't undo this.`
}

/** Shows the key only in the response to the form: not in a URL, and not in a message. */
export const newApiKeyPage = defineForm({
  query: noInput,
  form: NewKey,
  show: async () => newApiKeyView('Create API key', {}),
  submit: async (tx, context, { name }) => {
    await lockRights(tx, context, 'member')
    const { workspace, user } = context
    const { key } = await createApiKey(tx, workspace.id, user.userId, name)
    return secretPage('New API key', {
      heading: `API key “${name}” created`,
      lead: "Copy the key now. It won't be shown again.",
      label: 'API key',
      secret: key,
      notes: [
        "This key has full API access to this workspace. If it's lost or leaked, revoke it and create a new one.",
      ],
      back: { path: apiKeysPath, label: 'API keys' },
    })
  },
})

export const revokeApiKeyAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    const key = await findApiKey(tx.db, context.workspace.id, context.params.id)
    if (key === undefined) throw new FormError('not_found', 'API key not found.')
    await lockRights(tx, context, key.user_id === context.user.userId ? 'member' : 'owner')
    const { subscriptions } = await revokeApiKey(tx, context.workspace.id, context.params.id)
    return redirectTo(
      pathTo(context, apiKeysPath),
      `API key “${key.name}” was revoked${formatRemovedSubscriptions(subscriptions)}.`,
    )
  },
  back: (context) => pathTo(context, apiKeysPath),
})

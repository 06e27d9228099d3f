import { text, trimmedText } from '@outdial/contract'
import * as z from 'zod'
import { revokeApiKey } from '../../access/revoke-connection.ts'
import { FormError } from '../../core/form-errors.ts'
import { createApiKey } from '../../identity/api-keys.ts'
import { formatRemovedSubscriptions, formatSubscriptionsToRemove } from '../../views/format.ts'
import { defineAction, defineForm, definePage, noInput, redirectTo, template } from '../page/define-page.ts'
import { IdParams, lockRights, pathTo } from '../page/page-context.ts'
import { secretPage } from '../page/secret-page.ts'
import { findApiKey, selectApiKeys } from './api-key-queries.ts'

const apiKeysPath = '/settings/api-keys'

interface KeyRow {
  id: number
  name: string
  prefix: string
  createdBy: string
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
  subscriptionCount: number
  canRevoke: boolean
  /** Explains what revoking does. */
  revokeDetail: string
}

const apiKeyListView = template<{ keys: KeyRow[] }>('dashboard/settings/api-keys-page')
const newApiKeyView = template<object>('dashboard/settings/new-api-key-page')

const NewKey = z.object({ name: trimmedText(100).pipe(text(100)) })

export const apiKeyListPage = definePage({
  query: noInput,
  show: async (deps, { workspace, user }) => {
    const rows = await selectApiKeys(deps.db, workspace.id)
    const keys = rows.map((row) => ({
      id: row.id,
      name: row.name,
      prefix: row.prefix,
      createdBy: row.creator_name,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
      revokedAt: row.revoked_at,
      subscriptionCount: row.subscription_count ?? 0,
      canRevoke: row.revoked_at === null && (row.user_id === user.userId || workspace.role === 'owner'),
      revokeDetail: formatRevokeDetail(row.subscription_count ?? 0),
    }))
    return apiKeyListView('API keys', { keys })
  },
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

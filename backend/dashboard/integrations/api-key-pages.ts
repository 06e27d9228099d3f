import { text } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { findApiKey, selectApiKeys } from './api-key-queries.ts'
import { createApiKey } from '../../identity/api-keys.ts'
import { revokeApiKey } from '../../access/revoke-connection.ts'
import { act, form, none, show } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo, requireOwner, type Visit } from '../visit.ts'
import { withHooks } from './in-words.ts'
import { secretPage } from './secret-page.ts'

const listPath = '/integrations/api-keys'

interface KeyRow {
  id: number
  name: string
  prefix: string
  maker: string
  madeAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
  hooks: number
  mayRevoke: boolean
}

const list = template<{ keys: KeyRow[] }>('dashboard/integrations/api-keys-page')
const add = template<object>('dashboard/integrations/new-api-key-page')

const NewKey = z.object({ name: z.string().trim().pipe(text(100)) })

export const apiKeyList = (deps: Deps) =>
  show({
    path: listPath,
    query: none,
    show: async ({ workspace, person }) => {
      const rows = await selectApiKeys(deps.db, workspace.id)
      const keys = rows.map((row) => ({
        id: row.id,
        name: row.name,
        prefix: row.prefix,
        maker: row.maker,
        madeAt: row.created_at,
        lastUsedAt: row.last_used_at,
        revokedAt: row.revoked_at,
        hooks: row.hooks ?? 0,
        mayRevoke: row.revoked_at === null && (row.user_id === person.userId || workspace.role === 'owner'),
      }))
      return list('API keys', { keys })
    },
  })

/** The key stands on the page that answers the form, and nowhere else: not in an address, and not in a message. */
export const newApiKey = () =>
  form({
    path: `${listPath}/new`,
    query: none,
    form: NewKey,
    show: async () => add('Create an API key', {}),
    submit: async (own, { workspace, person }, { name }) => {
      const { key } = await createApiKey(own)({ workspaceId: workspace.id, userId: person.userId, name })
      return secretPage('Your new API key', {
        heading: `The key “${name}” is ready`,
        lead: 'Copy it now: it is shown this one time. Outdial keeps only a fingerprint of it.',
        label: 'API key',
        secret: key,
        notes: [
          'It may do everything that the API offers in this workspace. Keep it like a password; where it got lost or known, revoke it and make another.',
        ],
        back: { path: listPath, label: 'API keys' },
      })
    },
  })

export const revokeKey = () =>
  act({
    path: `${listPath}/:id/revoke`,
    form: none,
    act: async (own, visit: Visit) => {
      const key = await findApiKey(own.db, visit.workspace.id, visit.id)
      if (key === undefined) throw notFound('There is no such API key.')
      if (key.user_id !== visit.person.userId) requireOwner(visit)
      const { subscriptions } = await revokeApiKey(own)({
        workspaceId: visit.workspace.id,
        apiKeyId: visit.id,
      })
      return done(pathTo(visit, listPath), `The key “${key.name}” was revoked${withHooks(subscriptions)}.`)
    },
    back: (visit) => pathTo(visit, listPath),
  })

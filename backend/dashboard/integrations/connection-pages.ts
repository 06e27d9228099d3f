import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { selectConnections } from './connected-app-queries.ts'
import { disconnectApp } from '../../oauth/disconnect-app.ts'
import { knownScopes, scopeDescriptions } from '../../oauth/scopes.ts'
import { actionRoute, noInput, pageRoute } from '../page/page-route.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo, requireOwner } from '../visit.ts'
import { formatRemovedSubscriptions } from './in-words.ts'

const listPath = '/integrations/apps'

interface AppCard {
  /** Unique on the page. */
  key: string
  app: string
  user: string
  email: string
  since: Date
  lastUsedAt: Date | null
  abilities: string[]
  subscriptionCount: number
  disconnectPath: string
  canDisconnect: boolean
}

const list = template<{ apps: AppCard[] }>('dashboard/integrations/connected-apps-page')

export const appList = (deps: Deps) =>
  pageRoute({
    path: listPath,
    query: noInput,
    show: async ({ workspace, user }) => {
      const connections = await selectConnections(deps.db, workspace.id)
      const apps = connections.map((connection, index) => ({
        key: `app-${index}`,
        app: connection.app,
        user: connection.person,
        email: connection.email,
        since: connection.since,
        lastUsedAt: connection.lastUsedAt,
        abilities: knownScopes(connection.scopes).map((scope) => scopeDescriptions[scope]),
        subscriptionCount: connection.hooks,
        disconnectPath: `${listPath}/${connection.userId}/${encodeURIComponent(connection.clientId)}/disconnect`,
        canDisconnect: connection.userId === user.userId || workspace.role === 'owner',
      }))
      return list('Connected apps', { apps })
    },
  })

/** `:id` is the person who connected, `:other` the app. */
export const disconnectAppAction = () =>
  actionRoute({
    path: `${listPath}/:id/:other/disconnect`,
    form: noInput,
    run: async (tx, context) => {
      const workspaceId = context.workspace.id
      const connections = await selectConnections(tx.db, workspaceId)
      const connection = connections.find(
        ({ userId, clientId }) => userId === context.id && clientId === context.other,
      )
      if (connection === undefined) throw notFound('There is no such connection.')
      if (connection.userId !== context.user.userId) requireOwner(context)
      const { userId, clientId, app } = connection
      const { subscriptions } = await disconnectApp(tx)({ workspaceId, userId, clientId })
      return redirectTo(
        pathTo(context, listPath),
        `${app} was disconnected${formatRemovedSubscriptions(subscriptions)}.`,
      )
    },
    back: (context) => pathTo(context, listPath),
  })

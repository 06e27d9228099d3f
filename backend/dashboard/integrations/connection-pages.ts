import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { selectConnectedApps } from './connected-app-queries.ts'
import { disconnectApp } from '../../oauth/disconnect-app.ts'
import { knownScopes, scopeDescriptions } from '../../oauth/scopes.ts'
import { actionRoute, noInput, pageRoute } from '../page/page-route.ts'
import { redirectTo, template } from '../view.ts'
import { pathTo, requireOwner } from '../visit.ts'
import { formatRemovedSubscriptions } from './in-words.ts'

const connectedAppsPath = '/integrations/apps'

interface ConnectedAppCard {
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

const connectedAppsView = template<{ apps: ConnectedAppCard[] }>('dashboard/integrations/connected-apps-page')

export const connectedAppsPage = (deps: Deps) =>
  pageRoute({
    path: connectedAppsPath,
    query: noInput,
    show: async ({ workspace, user }) => {
      const connections = await selectConnectedApps(deps.db, workspace.id)
      const apps = connections.map((connection, index) => ({
        key: `app-${index}`,
        app: connection.app,
        user: connection.person,
        email: connection.email,
        since: connection.since,
        lastUsedAt: connection.lastUsedAt,
        abilities: knownScopes(connection.scopes).map((scope) => scopeDescriptions[scope]),
        subscriptionCount: connection.hooks,
        disconnectPath: `${connectedAppsPath}/${connection.userId}/${encodeURIComponent(connection.clientId)}/disconnect`,
        canDisconnect: connection.userId === user.userId || workspace.role === 'owner',
      }))
      return connectedAppsView('Connected apps', { apps })
    },
  })

/** `:id` is the person who connected, `:other` the app. */
export const disconnectAppAction = () =>
  actionRoute({
    path: `${connectedAppsPath}/:id/:other/disconnect`,
    form: noInput,
    run: async (tx, context) => {
      const workspaceId = context.workspace.id
      const connections = await selectConnectedApps(tx.db, workspaceId)
      const connection = connections.find(
        ({ userId, clientId }) => userId === context.id && clientId === context.other,
      )
      if (connection === undefined) throw notFound('There is no such connection.')
      if (connection.userId !== context.user.userId) requireOwner(context)
      const { userId, clientId, app } = connection
      const { subscriptions } = await disconnectApp(tx)({ workspaceId, userId, clientId })
      return redirectTo(
        pathTo(context, connectedAppsPath),
        `${app} was disconnected${formatRemovedSubscriptions(subscriptions)}.`,
      )
    },
    back: (context) => pathTo(context, connectedAppsPath),
  })

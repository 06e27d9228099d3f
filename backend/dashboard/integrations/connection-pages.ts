import * as z from 'zod'
import { disconnectApp } from '../../access/revoke-connection.ts'
import { FormError } from '../../core/form-errors.ts'
import { loopbackHosts } from '../../core/loopback.ts'
import { knownScopes, scopeDescriptions } from '../../oauth/scopes.ts'
import { formatRemovedSubscriptions, formatSubscriptionsToRemove } from '../../views/format.ts'
import { defineAction, definePage, noInput, redirectTo, template } from '../page/define-page.ts'
import { IdParam, lockRights, pathTo, TextParam } from '../page/page-context.ts'
import { selectConnectedApps } from './connected-app-queries.ts'

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
  /** Explains what disconnecting does. */
  disconnectDetail: string
  canDisconnect: boolean
}

const connectedAppsView = template<{ apps: ConnectedAppCard[] }>('dashboard/integrations/connected-apps-page')

export const connectedAppsPage = definePage({
  query: noInput,
  show: async (deps, { workspace, user }) => {
    const connections = await selectConnectedApps(deps.db, workspace.id)
    const apps = connections.map((connection, index) => ({
      key: `app-${index}`,
      app: connection.app,
      user: connection.user_name,
      email: connection.email,
      since: connection.since,
      lastUsedAt: connection.last_used_at,
      abilities: knownScopes(connection.scopes).map((scope) => scopeDescriptions[scope]),
      subscriptionCount: connection.subscription_count,
      disconnectPath: `/integrations/apps/${connection.user_id}/${encodeURIComponent(connection.client_id)}/disconnect`,
      disconnectDetail: formatDisconnectDetail(connection.user_name, connection.subscription_count),
      canDisconnect: connection.user_id === user.userId || workspace.role === 'owner',
    }))
    return connectedAppsView('Connected apps', { apps })
  },
})

function formatDisconnectDetail(userName: string, subscriptionCount: number): string {
  const detail = `${userName}'s Zaps that use this connection stop working until they reconnect it.`
  return subscriptionCount === 0 ? detail : `${detail} ${formatSubscriptionsToRemove(subscriptionCount)}.`
}

/** The user who connected the app, and the app. */
const ConnectionParams = z.object({ userId: IdParam, clientId: TextParam })

export const disconnectAppAction = defineAction({
  params: ConnectionParams,
  form: noInput,
  run: async (tx, context) => {
    const workspaceId = context.workspace.id
    const { userId, clientId } = context.params
    const connections = await selectConnectedApps(tx.db, workspaceId)
    const connection = connections.find((one) => one.user_id === userId && one.client_id === clientId)
    if (connection === undefined) throw new FormError('not_found', 'Connection not found.')
    await lockRights(tx, context, userId === context.user.userId ? 'member' : 'owner')
    const { subscriptions } = await disconnectApp(tx, workspaceId, userId, clientId)
    return redirectTo(
      pathTo(context, connectedAppsPath),
      `${connection.app} was disconnected${formatRemovedSubscriptions(subscriptions)}.`,
    )
  },
  back: (context) => pathTo(context, connectedAppsPath),
})

interface ConnectData {
  /** True if `publicUrl` is a loopback address, which Zapier can't reach. */
  isLocal: boolean
  addresses: { id: string; label: string; value: string }[]
  apiUrl: string
}

const connectView = template<ConnectData>('dashboard/integrations/connect-zapier-page')

/** Creates the page that explains how to build a first Zap. It also lists the URLs for connecting other clients. */
export const connectZapierPage = definePage({
  query: noInput,
  show: async ({ config: { publicUrl } }) => {
    const apiUrl = `${publicUrl}/api/public/v1`
    const addresses = [
      { id: 'api-url', label: 'API base URL', value: apiUrl },
      { id: 'openapi-url', label: 'OpenAPI document', value: `${apiUrl}/openapi.json` },
      { id: 'docs-url', label: 'API reference', value: `${publicUrl}/docs` },
      { id: 'authorize-url', label: 'OAuth 2.0 authorization URL', value: `${publicUrl}/oauth/authorize` },
      { id: 'token-url', label: 'OAuth 2.0 token URL', value: `${publicUrl}/oauth/token` },
      { id: 'revoke-url', label: 'OAuth 2.0 revocation URL', value: `${publicUrl}/oauth/revoke` },
    ]
    const isLocal = loopbackHosts.has(new URL(publicUrl).hostname)
    return connectView('Connect Zapier', { isLocal, addresses, apiUrl })
  },
})

const realCallsView = template<object>('dashboard/integrations/real-calls-page')

/** Says what real calls need. While calls are simulated, each page links to it. */
export const realCallsPage = definePage({
  query: noInput,
  show: () => Promise.resolve(realCallsView('Real calls', {})),
})

import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { selectConnections } from './connected-app-queries.ts'
import { disconnectApp } from '../../oauth/disconnect-app.ts'
import { knownScopes, scopeInWords } from '../../oauth/scopes.ts'
import { act, none, show } from '../page/page-route.ts'
import { done, template } from '../view.ts'
import { pathTo, requireOwner } from '../visit.ts'
import { withHooks } from './in-words.ts'

const listPath = '/integrations/apps'

interface AppCard {
  /** Unique on the page. */
  key: string
  app: string
  person: string
  email: string
  since: Date
  lastUsedAt: Date | null
  abilities: string[]
  hooks: number
  disconnectPath: string
  mayDisconnect: boolean
}

const list = template<{ apps: AppCard[] }>('dashboard/integrations/connected-apps-page')

export const appList = (deps: Deps) =>
  show({
    path: listPath,
    query: none,
    show: async ({ workspace, person }) => {
      const connections = await selectConnections(deps.db, workspace.id)
      const apps = connections.map((connection, index) => ({
        key: `app-${index}`,
        app: connection.app,
        person: connection.person,
        email: connection.email,
        since: connection.since,
        lastUsedAt: connection.lastUsedAt,
        abilities: knownScopes(connection.scopes).map((scope) => scopeInWords[scope]),
        hooks: connection.hooks,
        disconnectPath: `${listPath}/${connection.userId}/${encodeURIComponent(connection.clientId)}/disconnect`,
        mayDisconnect: connection.userId === person.userId || workspace.role === 'owner',
      }))
      return list('Connected apps', { apps })
    },
  })

/** `:id` is the person who connected, `:other` the app. */
export const disconnect = () =>
  act({
    path: `${listPath}/:id/:other/disconnect`,
    form: none,
    act: async (own, visit) => {
      const workspaceId = visit.workspace.id
      const connections = await selectConnections(own.db, workspaceId)
      const connection = connections.find(
        ({ userId, clientId }) => userId === visit.id && clientId === visit.other,
      )
      if (connection === undefined) throw notFound('There is no such connection.')
      if (connection.userId !== visit.person.userId) requireOwner(visit)
      const { userId, clientId, app } = connection
      const { subscriptions } = await disconnectApp(own)({ workspaceId, userId, clientId })
      return done(pathTo(visit, listPath), `${app} was disconnected${withHooks(subscriptions)}.`)
    },
    back: (visit) => pathTo(visit, listPath),
  })

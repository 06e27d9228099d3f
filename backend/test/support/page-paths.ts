import type { DashboardRoute } from '../../dashboard/page/define-page.ts'
import { createDashboardRoutes } from '../../dashboard/routes.ts'
import type { Deps } from '../../deps.ts'
import type { SeededObjects } from './seed-everything.ts'

export type ListedRoute = DashboardRoute & { path: string }

/** Returns every route of the dashboard with its path. */
export const listDashboardRoutes = (deps: Deps): ListedRoute[] =>
  Object.entries(createDashboardRoutes(deps)).map(([path, route]) => ({ ...route, path }))

/**
 * The functions that return the IDs in a path, by the path's prefix. If a path has two IDs, either can be another workspace's.
 */
const pathPrefixes: { prefix: string; ids: (objects: SeededObjects) => (string | number)[] }[] = [
  { prefix: '/calls/:id', ids: ({ call }) => [call] },
  { prefix: '/campaigns/:id', ids: ({ campaign }) => [campaign] },
  { prefix: '/contacts/:id', ids: ({ contact }) => [contact] },
  { prefix: '/contacts/:id/call/:campaignId', ids: ({ contact, campaign }) => [contact, campaign] },
  { prefix: '/contacts/import/:id', ids: (objects) => [objects.import] },
  { prefix: '/phone-numbers/:id', ids: ({ number }) => [number] },
  { prefix: '/agents/:id', ids: ({ agent }) => [agent] },
  { prefix: '/agents/:id/chats/new', ids: ({ agent }) => [agent] },
  { prefix: '/agents/:id/chats/:chatId', ids: ({ agent, chat }) => [agent, chat] },
  { prefix: '/agents/:id/tools/:toolId', ids: ({ agent, tool }) => [agent, tool] },
  { prefix: '/tools/:id', ids: ({ tool }) => [tool] },
  { prefix: '/tools/:id/edit-server', ids: ({ server }) => [server] },
  { prefix: '/tools/:id/choose', ids: ({ server }) => [server] },
  { prefix: '/tools/:id/refresh', ids: ({ server }) => [server] },
  { prefix: '/knowledge/:id', ids: ({ document }) => [document] },
  { prefix: '/spreadsheets/:spreadsheetId', ids: ({ spreadsheet }) => [spreadsheet] },
  { prefix: '/settings/api-keys/:id', ids: ({ apiKey }) => [apiKey] },
  { prefix: '/settings/api-log/:id', ids: ({ request }) => [request] },
  { prefix: '/integrations/apps/:userId/:clientId', ids: ({ owner, app }) => [owner, app] },
  { prefix: '/integrations/webhooks/:id', ids: ({ subscription }) => [subscription] },
  { prefix: '/integrations/deliveries/:id', ids: ({ delivery }) => [delivery] },
  { prefix: '/settings/invitations/:id', ids: ({ invitation }) => [invitation] },
  { prefix: '/settings/members/:id', ids: ({ memberId }) => [memberId] },
  { prefix: '/account/sessions/:id', ids: ({ session }) => [session] },
]

/**
 * Returns a function that returns the IDs for a route's path.
 *
 * @throws if the route's parameters aren't listed in `pathPrefixes`
 */
export function idsInPath({
  path,
}: Pick<ListedRoute, 'path'>): (objects: SeededObjects) => (string | number)[] {
  const [longestPrefix] = pathPrefixes
    .filter(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))
    .sort((a, b) => b.prefix.length - a.prefix.length)
  if (longestPrefix === undefined) throw new Error(`pathPrefixes doesn't list the parameters of ${path}`)
  return longestPrefix.ids
}

/** Replaces the parameters in the route's path with these IDs. */
export const fillPath = ({ path }: Pick<ListedRoute, 'path'>, ids: (string | number)[]): string => {
  const remainingIds = [...ids]
  return path.replace(/:\w+/g, () => encodeURIComponent(String(remainingIds.shift())))
}

/** Returns the route's path with the IDs of a workspace's objects. */
export const pathFor = (route: ListedRoute, objects: SeededObjects): string =>
  fillPath(route, route.path.includes(':') ? idsInPath(route)(objects) : [])

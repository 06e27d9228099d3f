import type { FastifyRequest } from 'fastify'
import { Scope } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import type { BrowserAuth } from '../../sign-in/browser-auth.ts'
import { selectWorkspacesOfUser } from '../../identity/user-store.ts'
import { pageNotFound } from './page-errors.ts'
import type { PageContext } from '../visit.ts'

/**
 * Who opens an address of a workspace; undefined where nobody is signed in.
 *
 * @throws {PageError} 404 for a workspace that the person is no member of: whether it exists is not told
 */
export const loadPageContext =
  (deps: Deps, browserAuth: BrowserAuth) =>
  async (request: FastifyRequest): Promise<PageContext | undefined> => {
    const session = await browserAuth.getSession(request)
    if (session === undefined) return undefined
    const params = request.params as Record<string, string | undefined>
    const workspaces = await selectWorkspacesOfUser(deps.db, session.user.userId)
    const workspace = workspaces.find(({ id }) => String(id) === params.workspace)
    if (workspace === undefined) throw pageNotFound()
    const id = /^[1-9]\d{0,14}$/.test(params.id ?? '') ? Number(params.id) : undefined
    if ('id' in params && id === undefined) throw pageNotFound()
    // PostgreSQL compares no text with a NUL in it: nothing has such a name.
    if (params.other?.includes('\0')) throw pageNotFound()
    return {
      user: session.user,
      workspace,
      workspaces,
      caller: {
        workspaceId: workspace.id,
        userId: session.user.userId,
        apiKeyId: null,
        clientId: null,
        scopes: [...Scope.options],
      },
      id: id ?? 0,
      other: params.other ?? '',
      query: withoutNulCharacters(request.query),
      sessionHash: session.idHash,
    }
  }

/** PostgreSQL compares no text with a NUL in it, and no person types one: such a part of a query is not there. */
const withoutNulCharacters = (query: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query ?? {}).filter(([, value]) => !JSON.stringify(value).includes('\\u0000')),
  )

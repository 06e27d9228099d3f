import { boundedText, Scope } from '@outdial/contract'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { listWorkspaces } from '../../accounts/identity/members.ts'
import { getSessionRole, lockSession } from '../../accounts/identity/sessions.ts'
import type { User } from '../../accounts/identity/users.ts'
import type { BrowserAuth } from '../../accounts/sign-in/browser-auth.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { lockWorkspace } from '../../platform/db/locks.ts'
import { PageError } from '../../platform/views/page-error.ts'
import { pageNotFound } from './page-errors.ts'
import { hasRecentChange } from './recent-change.ts'

/**
 * Loads the signed-in user and the workspace of a request. Returns undefined if the request isn't signed in.
 *
 * @throws {PageError} 404 if the user isn't a member, so that it's not revealed whether the workspace exists
 */
export async function loadPageContext(
  deps: Pick<Deps, 'db' | 'config'>,
  browserAuth: BrowserAuth,
  request: FastifyRequest,
): Promise<PageContext | undefined> {
  const session = await browserAuth.getSession(request)
  if (session === undefined) return undefined
  const params = request.params as Record<string, string | undefined>
  const workspaces = await listWorkspaces(deps, session.user.userId)
  const workspace = workspaces.find(({ id }) => String(id) === params.workspace)
  if (workspace === undefined) throw pageNotFound()
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
    params,
    query: withoutNulCharacters(request.query),
    sessionHash: session.idHash,
    hasRecentChange: hasRecentChange(request, deps.config.publicUrl.startsWith('https:')),
  }
}

/** Drops query values that contain NUL. PostgreSQL can't compare them, and people don't type them. */
const withoutNulCharacters = (query: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query ?? {}).filter(([, value]) => !JSON.stringify(value).includes('\\u0000')),
  )

type Role = 'owner' | 'member'

/** A workspace that the user is a member of. */
export interface UserWorkspace {
  id: number
  name: string
  /** ISO 3166-1 alpha-2. */
  country: string
  /** IANA name. Pages show times in this time zone. */
  timeZone: string
  role: Role
}

/** The context of a request by a signed-in member of a workspace. */
export interface PageContext<Query = unknown, Params = unknown> {
  user: User
  workspace: UserWorkspace
  /** All of the user's workspaces, sorted by name, for the workspace switcher. */
  workspaces: UserWorkspace[]
  /** The user as the caller of operations. */
  caller: Caller
  /** Path parameters, such as the `:id` of `/calls/:id`. */
  params: Params
  query: Query
  /** Hash of the session token. */
  sessionHash: Buffer
  /** True if the browser has just sent a form. The page must then show what the form changed. */
  hasRecentChange: boolean
}

/** A numeric ID in a path. */
export const IdParam = boundedText(15)
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number)

/** A text ID in a path. PostgreSQL can't compare text that contains NUL. */
export const TextParam = boundedText(200).refine((text) => !text.includes('\0'))

export const IdParams = z.object({ id: IdParam })

/** The parts of the path of a page in a workspace. */
export interface PathContext<Params = unknown> {
  workspace: { id: number }
  params: Params
}

export type IdPathContext = PathContext<z.output<typeof IdParams>>

/** The context of a page whose path contains `:id`. */
export type IdContext = PageContext<unknown, z.output<typeof IdParams>>

/**
 * Parses the path parameters.
 *
 * @throws {PageError} 404 if they aren't valid
 */
export function parseParams(params: z.ZodType, context: PageContext): PageContext {
  const parsed = params.safeParse(context.params)
  if (!parsed.success) throw pageNotFound()
  return { ...context, params: parsed.data }
}

/** Returns a path in a workspace's dashboard: `pathTo(context, '/calls/3')`. */
export const pathTo = ({ workspace }: { workspace: { id: number } }, path: string): string =>
  `/w/${workspace.id}${path}`

/**
 * Confirms in the transaction of a form that the user is still signed in and a member: the form may have arrived long after
 * its headers.
 *
 * @throws {PageError} 404
 */
export async function confirmMember(deps: Pick<Deps, 'db' | 'clock'>, context: PageContext): Promise<Role> {
  const session = { idHash: context.sessionHash, workspaceId: context.workspace.id }
  const role = await getSessionRole(deps, session)
  if (role === undefined) throw pageNotFound()
  return role
}

/**
 * Requires a role, and locks the role and the session until the transaction ends. Use it for changes that outlast the session,
 * such as API keys, members, and invitations, and for what only owners can do. Call it before other rows are locked.
 *
 * @throws {PageError} 403 if the user isn't an owner, 404 if the user is no longer a member or signed in
 */
export async function lockRights(
  tx: Pick<Deps, 'db' | 'clock'>,
  context: PageContext,
  role: Role,
): Promise<void> {
  // Removing a member and changing a role also lock the workspace, so they wait for this transaction.
  await lockWorkspace(tx.db, context.workspace.id)
  await lockSession(tx, context.sessionHash)
  const current = await confirmMember(tx, context)
  if (role === 'owner') requireOwner({ workspace: { ...context.workspace, role: current } })
}

/** @throws {PageError} 403 if the user isn't an owner of the workspace */
export function requireOwner({ workspace }: Pick<PageContext, 'workspace'>): void {
  if (workspace.role === 'owner') return
  throw new PageError(403, {
    title: 'Only an owner can do this',
    message: `You're a member of ${workspace.name}, but not an owner.`,
    advice: 'Ask an owner to do it. To see who the owners are, go to Settings → Members.',
  })
}

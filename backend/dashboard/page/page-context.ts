import { Scope } from '@outdial/contract'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Caller } from '../../core/caller.ts'
import type { Deps } from '../../deps.ts'
import { listWorkspaces } from '../../identity/members.ts'
import type { User } from '../../identity/users.ts'
import type { BrowserAuth } from '../../sign-in/browser-auth.ts'
import { PageError } from '../../views/page-error.ts'
import { pageNotFound } from './page-errors.ts'

/**
 * Who opens an address of a workspace; undefined where nobody is signed in.
 *
 * @throws {PageError} 404 for a workspace that the person is no member of: whether it exists is not told
 */
export async function loadPageContext(
  deps: Pick<Deps, 'db'>,
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
  }
}

/** PostgreSQL compares no text with a NUL in it, and no person types one: such a part of a query is not there. */
const withoutNulCharacters = (query: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query ?? {}).filter(([, value]) => !JSON.stringify(value).includes('\\u0000')),
  )

type Role = 'owner' | 'member'

/** A workspace that the person is a member of. */
export interface UserWorkspace {
  id: number
  name: string
  /** ISO 3166-1 alpha-2. */
  country: string
  /** IANA name: times on the pages are on this clock. */
  timeZone: string
  role: Role
}

/** Somebody who is signed in opens an address of a workspace of theirs. Membership has been checked by then. */
export interface PageContext<Query = unknown, Params = unknown> {
  user: User
  workspace: UserWorkspace
  /** All of the person's workspaces, by name: they switch between them. */
  workspaces: UserWorkspace[]
  /** The person, as operations know who acts. */
  caller: Caller
  /** What the address names, such as the `:id` of `/calls/:id`. */
  params: Params
  query: Query
  /** The session's token, hashed. */
  sessionHash: Buffer
}

/** A number in an address that names a row. */
export const IdParam = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number)

/** Text in an address that names something. PostgreSQL can't compare text that contains NUL. */
export const TextParam = z.string().refine((text) => !text.includes('\0'))

export const IdParams = z.object({ id: IdParam })

/** The context of a page whose address ends in `/:id`, or continues behind it. */
export type IdContext = PageContext<unknown, z.output<typeof IdParams>>

/**
 * Reads what an address names.
 *
 * @throws {PageError} 404 where it can't name anything
 */
export function parseParams(params: z.ZodType, context: PageContext): PageContext {
  const parsed = params.safeParse(context.params)
  if (!parsed.success) throw pageNotFound()
  return { ...context, params: parsed.data }
}

/** Returns an address of a workspace's dashboard: `pathTo(context, '/calls/3')`. */
export const pathTo = ({ workspace }: { workspace: { id: number } }, path: string): string =>
  `/w/${workspace.id}${path}`

/** @throws {PageError} 403 for who is no owner of the workspace */
export function requireOwner({ workspace }: PageContext): void {
  if (workspace.role === 'owner') return
  throw new PageError(403, {
    title: 'Only an owner can do this',
    message: `You are a member of ${workspace.name}, and this needs an owner of it.`,
    advice: 'Settings → Members shows who the owners are: ask one of them.',
  })
}

import type { ErrorCode, ListQuery, Scope } from '@outdial/contract'
import * as z from 'zod'
import type { Caller } from '../core/caller.ts'
import { ApiError } from '../core/errors.ts'
import type { Page } from '../core/pagination.ts'
import { validate } from '../core/validate.ts'
import type { Deps } from '../deps.ts'
import type { CreatedIds } from './api-log.ts'
import type { hashRequest } from './idempotency.ts'

/** `{ id }` for a path with `:id`, otherwise empty. */
type PathParams<Path extends string> = Path extends `${string}/:id${string}` ? { id: number } : object

/** A validated request, as a handler gets it. */
type RouteRequest<Path extends string, Query, Body> = PathParams<Path> & {
  caller: Caller
  query: Query
  body: Body
  /** The absolute URL of the route, without a query string. */
  url: string
}

/** A response of any route. */
export interface RouteResponse {
  status: number
  body?: unknown
}

/** Schemas of the successful responses by status; null for a response without a body. */
type ResponseSchemas<Status extends number = number> = Record<Status, z.ZodType | null>

/** What a handler may return: a declared status with the body that its schema accepts. */
type DeclaredResponse<Responses extends ResponseSchemas> = {
  [Status in keyof Responses]: Responses[Status] extends z.ZodType
    ? { status: Status; body: z.input<Responses[Status]> }
    : { status: Status; body?: undefined }
}[keyof Responses]

interface RouteDescription<Path extends string, Responses extends ResponseSchemas> {
  method: 'GET' | 'POST' | 'DELETE'
  /**
   * Below the API's prefix, with a trailing slash where the OpenAPI document has one; `:id` is an integer.
   */
  path: Path
  operationId: string
  summary: string
  description?: string
  tag: string
  /** Why the route exists, if it's an addition to the original description of the service. */
  addition?: string
  /** All of them are required. */
  scopes: Scope[]
  responses: Responses
  /** Error codes of this operation, in addition to those that every operation has. */
  errors?: ErrorCode[]
  /** Honors `Idempotency-Key`: the handler runs once per key, in the transaction that stores its response. */
  idempotent?: boolean
}

/** A part of the body that may differ between requests with the same idempotency key, and what it does to a replay. */
interface ReplayRule<Body> {
  /** Returns the part of the body that must be the same. */
  comparedBody: (body: Body) => unknown
  /** Runs in a transaction, before the stored response is returned again. */
  onReplay: (tx: Deps, request: { caller: Caller; body: Body; stored: unknown }) => Promise<void>
}

/** A request that may be handled together with others, in one statement. */
interface SharedRequest<Body> {
  caller: Caller
  /** The SHA-256 of the caller's credential, which the statement checks again. */
  tokenHash: Buffer
  body: Body
  /** What identifies a repeated request. Null without an idempotency key. */
  idempotency: ReturnType<typeof hashRequest> | null
}

/**
 * What became of it. `alone`: the request must be handled in a transaction of its own, by the route's `handler`.
 * `unauthorized`: the credential was revoked or has expired.
 */
export type SharedResult =
  | { status: number; body: unknown; replayed: boolean }
  | { failed: 'alone' | 'unauthorized' | 'key_in_use' | 'key_reused' }

type SharedHandler<Body> = (request: SharedRequest<Body>) => Promise<SharedResult>

/** A route as `routes.ts` writes it. */
interface RouteDefinition<
  Path extends string,
  Status extends number,
  Responses extends ResponseSchemas<Status>,
  Query extends z.ZodType,
  Body extends z.ZodType,
> extends RouteDescription<Path, Responses> {
  /** `NoQuery` by default. */
  query?: Query
  /** `NoRequestBody` by default. */
  body?: Body
  /** The second type infers `Status`, so that a status in a handler keeps its literal type. */
  responses: Responses & ResponseSchemas<Status>
  replay?: ReplayRule<z.output<Body>>
  /** Returns a response as the API shows it, if it's stored in another form. */
  formatStored?: (config: Deps['config'], stored: unknown) => unknown
  /** Creates the function that tries to handle concurrent requests together. */
  createSharedHandler?: (deps: Deps) => SharedHandler<z.output<Body>>
  /** Returns the IDs in a response body, for the API log. */
  created?: (body: NonNullable<NoInfer<DeclaredResponse<Responses>>['body']>) => CreatedIds
  handler: (
    deps: Deps,
    request: RouteRequest<Path, z.output<Query>, z.output<Body>>,
  ) => Promise<NoInfer<{ status: Status } & DeclaredResponse<Responses>>>
}

/** A request before validation. */
interface RawRequest {
  caller: Caller
  query: unknown
  body: unknown
  /** The `:id` of the path as text. */
  id: string | undefined
  /** The public URL of the API, with its prefix. */
  baseUrl: string
}

interface PreparedRequest {
  /** Validated. */
  body: unknown
  /** Without a trailing slash, and with the id in place of `:id`. */
  path: string
  /** What must be the same when an idempotency key is used again: the validated body, or the compared part of it. */
  comparedBody: unknown
  run: (deps: Deps) => Promise<RouteResponse>
  /** Runs in a transaction, before a stored response is returned again. */
  onReplay: (tx: Deps, stored: unknown) => Promise<void>
}

/** A route as `mountRoutes` serves it. */
export interface Route extends RouteDescription<string, ResponseSchemas> {
  query: z.ZodType
  body: z.ZodType
  /** Returns the IDs in a response body, for the API log. */
  created: (body: unknown) => CreatedIds
  formatStored: (config: Deps['config'], stored: unknown) => unknown
  /** Undefined if requests of this route are always handled alone. Its requests come from `prepare`. */
  createSharedHandler: ((deps: Deps) => SharedHandler<unknown>) | undefined
  /** @throws {ApiError} if the request doesn't match the schemas */
  prepare: (request: RawRequest) => PreparedRequest
}

/** Rejects every parameter, so that a misspelled one isn't silently ignored. */
export const NoQuery = z.strictObject({})

export const NoRequestBody = z.undefined()

/** Ties a route's schemas and path to its handler, which gets validated values only. */
export function defineRoute<
  Path extends string,
  Status extends number,
  Responses extends ResponseSchemas<Status>,
  Query extends z.ZodType = typeof NoQuery,
  Body extends z.ZodType = typeof NoRequestBody,
>(definition: RouteDefinition<Path, Status, Responses, Query, Body>): Route
export function defineRoute({
  handler,
  query: querySchema = NoQuery,
  body: bodySchema = NoRequestBody,
  replay,
  created = () => ({}),
  formatStored = (_config, stored) => stored,
  createSharedHandler,
  ...description
}: RouteDefinition<string, number, ResponseSchemas, z.ZodType, z.ZodType>): Route {
  return {
    ...description,
    query: querySchema,
    body: bodySchema,
    // The body matches the route's schema, or was stored when it did.
    created: (body) => created(body as never),
    formatStored,
    createSharedHandler,
    prepare: ({ caller, id, baseUrl, ...raw }) => {
      const params = description.path.includes('/:id') ? { id: parsePathId(id ?? '') } : {}
      const query = validate(querySchema, raw.query)
      const body = validate(bodySchema, raw.body)
      const path = description.path.replace(':id', id ?? '')
      const request = { ...params, caller, query, body, url: `${baseUrl}${path}` }
      return {
        body,
        path: path.replace(/\/$/, ''),
        comparedBody: replay === undefined ? body : replay.comparedBody(body),
        run: (deps) => handler(deps, request),
        onReplay: async (tx, stored) => replay?.onReplay(tx, { caller, body, stored }),
      }
    },
  }
}

/**
 * Parses the ID in a path. Text, zero, and unsafe integers are IDs of nothing.
 *
 * @throws {ApiError} not_found
 */
function parsePathId(text: string): number {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : NaN
  if (!Number.isSafeInteger(id)) throw new ApiError('not_found.id')
  return id
}

interface ListResponse<Item> {
  status: 200
  body: { results: Item[]; next: string | null; previous: string | null }
}

/** Builds the response of a list, with absolute links to the next and previous page that keep all filters. */
export function toListResponse<Item>(
  page: Page<Item>,
  { url, query }: { url: string; query: ListQuery },
): ListResponse<Item> {
  const { limit, offset } = query
  const linkTo = (to: number) => `${url}?${toSearchParams({ ...query, offset: to }).toString()}`
  const body = {
    results: page.items,
    next: page.hasMore ? linkTo(offset + limit) : null,
    previous: offset > 0 ? linkTo(Math.max(0, offset - limit)) : null,
  }
  return { status: 200, body }
}

function toSearchParams(query: object): URLSearchParams {
  const searchParams = new URLSearchParams()
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) searchParams.append(name, String(item))
    }
  }
  return searchParams
}

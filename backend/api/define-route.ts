import type { ErrorCode, ListQuery, Scope, Warning } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../deps.ts'
import type { Caller } from '../platform/core/caller.ts'
import { ApiError } from '../platform/core/errors.ts'
import type { Page } from '../platform/core/pagination.ts'
import { NoQuery, validate } from '../platform/core/validate.ts'
import { type HashedRequest, hashRequest } from '../platform/idempotency/idempotency.ts'
import type { ContactAdder } from '../queue/contacts/contact-adder.ts'
import type { CreatedIds } from './api-log.ts'

/** `{ id }` for a path with `:id`, otherwise empty. */
type PathParams<Path extends string> = Path extends `${string}/:id${string}` ? { id: number } : object

/** A validated request, as a handler gets it. */
type RouteRequest<Path extends string, Query, Body> = PathParams<Path> & {
  caller: Caller
  /** The SHA-256 of the caller's credential. */
  tokenHash: Buffer
  /** Identifies a repeated request. Null without an idempotency key. */
  key: HashedRequest | null
  query: Query
  body: Body
  /** Warnings about what `readBody` left out. */
  warnings: readonly Warning[]
  /** The absolute URL of the route, without a query string. */
  url: string
}

/** A response of any route. `replayed` is true if an earlier request with the same idempotency key produced it. */
export interface RouteResponse {
  status: number
  body?: unknown
  replayed?: boolean
}

/** The dependencies of a route's handler. Queries to its database see only the rows of the caller's workspace. */
interface RouteDeps extends Deps {
  /** Handles `POST /contacts/`, for requests of all workspaces. */
  addContact: ContactAdder
}

/** Schemas of the successful responses by status; null for a response without a body. */
type ResponseSchemas<Status extends number = number> = Record<Status, z.ZodType | null>

/** A response that a handler may return: a declared status with a body that its schema accepts. */
type DeclaredResponse<Responses extends ResponseSchemas> = {
  [Status in keyof Responses]: Responses[Status] extends z.ZodType
    ? { status: Status; body: z.input<Responses[Status]> }
    : { status: Status; body?: undefined }
}[keyof Responses]

/** Examples for the OpenAPI document: of the request body, if any, and of each response with a body, by status. */
type Examples<Responses extends ResponseSchemas, Body extends z.ZodType> = (Body extends typeof NoRequestBody
  ? unknown
  : { body: z.input<Body> }) & {
  [Status in keyof Responses as Responses[Status] extends z.ZodType ? Status : never]: z.output<
    Responses[Status]
  >
}

interface RouteDescription<Path extends string, Responses extends ResponseSchemas> {
  method: 'GET' | 'POST' | 'DELETE'
  /** The path after the API's prefix. It ends in a slash if it does so in the OpenAPI document. `:id` is an integer. */
  path: Path
  operationId: string
  summary: string
  description?: string
  tag: string
  /** The purpose of the route, for the OpenAPI document, if the summary doesn't say it. */
  addition?: string
  /** The scopes that a request needs. All of them are required. */
  scopes: Scope[]
  responses: Responses
  /** Error codes of this operation, in addition to those that every operation has. */
  errors?: ErrorCode[]
  /**
   * Set for a route that honors `Idempotency-Key`. With `true`, the handler runs once per key, in the transaction that
   * stores its response. With `in handler`, the handler does this itself.
   */
  idempotent?: true | 'in handler'
}

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
  /** Reads a body. Can leave out values that can't be used. By default, all of the body must match the schema. */
  readBody?: (input: unknown) => LenientBody<z.output<Body>>
  /** `ResponseSchemas<Status>` lets TypeScript infer `Status`, so a status in a handler keeps its literal type. */
  responses: Responses & ResponseSchemas<Status>
  examples: NoInfer<Examples<Responses, Body>>
  /** Returns the part of the body that must be the same if an idempotency key is used again. By default, all of it. */
  comparedBody?: (body: z.output<Body>) => unknown
  /** Returns the IDs in a response body, for the API log. */
  created?: (body: NonNullable<NoInfer<DeclaredResponse<Responses>>['body']>) => CreatedIds
  /** Does what a request must do even if it's rejected (404, 422). The body is parsed from JSON, but isn't validated. */
  ifRejected?: (deps: RouteDeps, request: { caller: Caller; body: unknown }) => Promise<void>
  handler: (
    deps: RouteDeps,
    request: RouteRequest<Path, z.output<Query>, z.output<Body>>,
  ) => Promise<NoInfer<{ status: Status; replayed?: boolean } & DeclaredResponse<Responses>>>
}

/** A valid body, and what was left out to make it valid. */
interface LenientBody<Body> {
  body: Body
  warnings: Warning[]
}

/** A request before validation. */
interface RawRequest {
  caller: Caller
  tokenHash: Buffer
  query: unknown
  body: unknown
  /** The `:id` of the path as text. */
  id: string | undefined
  /** The `Idempotency-Key` header. */
  idempotencyKey: string | undefined
  /** The public URL of the API, with its prefix. */
  baseUrl: string
}

interface PreparedRequest {
  /** Null without an idempotency key, or if the route ignores it. */
  key: HashedRequest | null
  run: (deps: RouteDeps) => Promise<RouteResponse>
}

/** A route as `mountRoutes` serves it. */
export interface Route extends RouteDescription<string, ResponseSchemas> {
  query: z.ZodType
  body: z.ZodType
  examples: { body?: unknown; [status: string]: unknown }
  /** Returns the IDs in a response body, for the API log. */
  created: (body: unknown) => CreatedIds
  ifRejected: (deps: RouteDeps, request: { caller: Caller; body: unknown }) => Promise<void>
  /** @throws {ApiError} if the request doesn't match the schemas */
  prepare: (request: RawRequest) => PreparedRequest
}

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
  readBody = (input) => ({ body: validate(bodySchema, input), warnings: [] }),
  comparedBody = (body) => body,
  created = () => ({}),
  ifRejected = () => Promise.resolve(),
  ...description
}: RouteDefinition<string, number, ResponseSchemas, z.ZodType, z.ZodType>): Route {
  return {
    ...description,
    query: querySchema,
    body: bodySchema,
    // The cast is safe, because the body matches the route's schema, or matched it when it was stored.
    created: (body) => created(body as never),
    ifRejected,
    prepare: ({ caller, tokenHash, id, idempotencyKey, baseUrl, ...raw }) => {
      const params = description.path.includes('/:id') ? { id: parsePathId(id ?? '') } : {}
      const query = validate(querySchema, raw.query)
      const { body, warnings } = readBody(raw.body)
      const path = description.path.replace(':id', id ?? '')
      const key =
        description.idempotent === undefined || idempotencyKey === undefined
          ? null
          : hashRequest({
              caller,
              method: description.method,
              path: path.replace(/\/$/, ''),
              key: idempotencyKey,
              // Includes the warnings. Without them, requests that differ only in what was left out would count as the same.
              body:
                warnings.length === 0
                  ? comparedBody(body)
                  : [comparedBody(body), warnings.map(({ field, code: reason }) => [field, reason])],
            })
      const request = { ...params, caller, tokenHash, key, query, body, warnings, url: `${baseUrl}${path}` }
      return { key, run: (deps) => handler(deps, request) }
    },
  }
}

/**
 * Parses the ID in a path. No object has text, zero, or an unsafe integer as its ID.
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

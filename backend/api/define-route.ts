import type { ErrorCode, ListQuery, Scope } from '@outdial/contract'
import * as z from 'zod'
import type { Caller } from '../core/caller.ts'
import type { Page } from '../core/pagination.ts'
import { validate } from '../core/validate.ts'

/** What a route answers. `body` is left out with 204. */
export interface RouteResponse {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** What a handler is given: everything has been checked by then. */
export interface RouteRequest<Query, Body> {
  caller: Caller
  query: Query
  body: Body
  /** The integer in the path; NaN never: a path without one has no `{id}`. */
  id: number
  /** The header, as sent. */
  idempotencyKey: string | undefined
}

interface RouteDescription {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the API's prefix, with its trailing slash where the service's description has one; `:id` is an integer. */
  path: string
  operationId: string
  summary: string
  description?: string
  tag: string
  /** Every one of them is needed. */
  scopes: Scope[]
  /** Schemas of the successful answers; null where there is no body. */
  responses: Record<number, z.ZodType | null>
  /** Error codes that this operation has beyond those that every one has. */
  errors?: ErrorCode[]
  /** Whether `Idempotency-Key` counts here. */
  idempotent?: boolean
}

/** A line of the table, as `routes.ts` writes it. */
export interface RouteDefinition<Query extends z.ZodType, Body extends z.ZodType> extends RouteDescription {
  query: Query
  body: Body
  handler: (request: RouteRequest<z.output<Query>, z.output<Body>>) => Promise<RouteResponse>
}

/** A line of the table, ready to be mounted. */
export interface Route extends RouteDescription {
  query: z.ZodType
  body: z.ZodType
  handle: (request: RouteRequest<unknown, unknown>) => Promise<RouteResponse>
}

/** Refuses every parameter: a typing error in one must not pass unseen. */
export const NoQuery = z.strictObject({})

export const NoBody = z.undefined()

/** Ties the schemas of a line to its handler, so that the handler sees parsed values only. */
export function defineRoute<Query extends z.ZodType, Body extends z.ZodType>({
  handler,
  ...definition
}: RouteDefinition<Query, Body>): Route {
  return {
    ...definition,
    handle: (request) =>
      handler({
        ...request,
        query: validate(definition.query, request.query),
        body: validate(definition.body, request.body),
      }),
  }
}

/** The envelope of a list, with absolute links that keep every filter. `address` is the list's own, absolute. */
export function toListResponse<Item>(page: Page<Item>, listUrl: string, query: ListQuery) {
  const { limit, offset } = query
  const linkTo = (to: number) => `${listUrl}?${toSearchParams({ ...query, offset: to }).toString()}`
  return {
    results: page.items,
    next: page.more ? linkTo(offset + limit) : null,
    previous: offset > 0 ? linkTo(Math.max(0, offset - limit)) : null,
  }
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

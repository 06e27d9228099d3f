import type { Deps } from '../deps.ts'
import { respondOnce } from '../api/idempotency.ts'
import type { RouteResponse, RouteRequest } from '../api/define-route.ts'

/** Lets `Idempotency-Key` count for a POST to `path` (without its trailing slash). */
export async function respondToPostOnce(
  deps: Deps,
  path: string,
  request: RouteRequest<unknown, unknown>,
  work: (deps: Deps) => Promise<{ status: number; body: unknown }>,
): Promise<RouteResponse> {
  const { caller, body, idempotencyKey: key } = request
  const {
    status,
    body: responseBody,
    replayed,
  } = await respondOnce(deps)({ caller, method: 'POST', path, key, body }, work)
  return { status, body: responseBody, ...(replayed && { headers: { 'Idempotent-Replayed': 'true' } }) }
}

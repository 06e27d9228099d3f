import type { Deps } from '../deps.ts'
import { answerOnce } from '../api/idempotency.ts'
import type { Answer, RouteRequest } from '../api/define-route.ts'

/** Lets `Idempotency-Key` count for a POST to `path` (without its trailing slash). */
export async function once(
  deps: Deps,
  path: string,
  request: RouteRequest<unknown, unknown>,
  work: (deps: Deps) => Promise<{ status: number; body: unknown }>,
): Promise<Answer> {
  const { caller, body, idempotencyKey: key } = request
  const {
    status,
    body: answer,
    replayed,
  } = await answerOnce(deps)({ caller, method: 'POST', path, key, body }, work)
  return { status, body: answer, ...(replayed && { headers: { 'Idempotent-Replayed': 'true' } }) }
}

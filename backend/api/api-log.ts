import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import type { Caller } from '../platform/core/caller.ts'
import { minuteMs, secondMs } from '../platform/core/durations.ts'
import { describeError } from '../platform/core/errors.ts'
import { createWindowCounter } from '../platform/core/window-counter.ts'
import { isOutage } from '../platform/db/outage.ts'
import type { Db } from '../platform/db/schema.ts'
import { getClientVersion } from '../platform/http/request-log.ts'
import { insertRequests, type LoggedRequest, truncateOldDays } from './api-log-store.ts'

/** The IDs in a response that the API log stores. */
export type CreatedIds = Partial<
  Pick<LoggedRequest, 'contact_id' | 'call_id' | 'campaign_id' | 'subscription_id'>
>

declare module 'fastify' {
  interface FastifyRequest {
    /** The parts of the response that the API log stores. Null before the handler has run. */
    loggedResponse: { created: CreatedIds; idempotency: LoggedRequest['idempotency'] } | null
  }
}

export interface ApiLog {
  /** Adds a request to the next batch. */
  record: (request: LoggedRequest) => void
  /** Writes the requests that are still waiting. Requests that can't be written now are lost. */
  close: () => Promise<void>
}

const intervalMs = secondMs

/** How many requests above the rate limit are logged per connection and minute, because a client can send any number. */
const maxRateLimited = 60

/**
 * Creates the log of the API's requests in this process. It writes once a second, or when a batch is full, so that requests
 * don't wait for it. A crash loses what isn't written yet.
 *
 * @param options.maxWaiting how many requests can wait while the database is unavailable; if there are more, the oldest are
 * lost
 */
export function createApiLog(
  deps: Pick<Deps, 'db' | 'clock' | 'log' | 'metrics'>,
  { batchSize = 500, maxWaiting = 5_000 }: { batchSize?: number; maxWaiting?: number } = {},
): ApiLog {
  const { db, clock, log, metrics } = deps
  const countRateLimited = createWindowCounter(clock, { windowMs: minuteMs })
  let waiting: LoggedRequest[] = []
  let writing: Promise<void> | undefined
  let isClosing = false
  let dueNow = new AbortController()

  const limitWaiting = (limit: number) => {
    const excess = waiting.length - limit
    if (excess <= 0) return
    waiting = waiting.slice(excess)
    metrics.apiLogDropped.inc(excess)
  }

  /** Writes a batch of requests. Returns false if it must be written again. */
  const writeBatch = async (): Promise<boolean> => {
    const batch = waiting.slice(0, batchSize)
    waiting = waiting.slice(batchSize)
    try {
      await insertRequests(db, batch)
      return true
    } catch (error) {
      log.warn({ error: describeError(error) }, 'failed to write the API log')
      if (!isOutage(error)) {
        metrics.apiLogDropped.inc(batch.length)
        return true
      }
      waiting = [...batch, ...waiting]
      limitWaiting(isClosing ? 0 : maxWaiting)
      return false
    }
  }

  const write = async () => {
    let isOut = false
    while (waiting.length > 0) {
      if (!isClosing && (isOut || waiting.length < batchSize)) await clock.wait(intervalMs, dueNow.signal)
      dueNow = new AbortController()
      isOut = !(await writeBatch())
    }
    writing = undefined
  }

  return {
    record: (request) => {
      if (request.status === 429 && countRateLimited.add(toConnectionKey(request)).count > maxRateLimited)
        return
      waiting.push(request)
      limitWaiting(maxWaiting)
      if (waiting.length === batchSize) dueNow.abort()
      writing ??= write()
    },
    close: async () => {
      isClosing = true
      dueNow.abort()
      await writing
    },
  }
}

const toConnectionKey = ({ workspace_id, user_id, api_key_id, client_id }: LoggedRequest): string =>
  [workspace_id, user_id, api_key_id, client_id].join()

/**
 * Returns what the log stores about a request. It includes little that the client wrote: IDs, harmless field names, and the
 * client's name and version.
 *
 * @param options.prefix the path prefix of the API's routes
 */
export function toLoggedRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { caller, prefix, now }: { caller: Caller; prefix: string; now: Date },
): LoggedRequest {
  const { created = {}, idempotency = null } = request.loggedResponse ?? {}
  const issues = (request.errorDetails ?? []).slice(0, maxFields)
  return {
    workspace_id: caller.workspaceId,
    at: new Date(now.getTime() - reply.elapsedTime),
    duration_ms: Math.round(reply.elapsedTime),
    request_id: request.id,
    method: request.method,
    route: (request.routeOptions.url ?? '').slice(prefix.length),
    object_id: reply.statusCode < 300 ? getPathId(request) : null,
    status: reply.statusCode,
    error_code: request.errorCode,
    fields: issues.map(({ field }) => toSafeFieldName(field)),
    field_codes: issues.map(({ code }) => code),
    idempotency,
    user_id: caller.userId,
    api_key_id: caller.apiKeyId,
    client_id: caller.clientId,
    client_version: getClientVersion(request),
    contact_id: created.contact_id ?? null,
    call_id: created.call_id ?? null,
    campaign_id: created.campaign_id ?? null,
    subscription_id: created.subscription_id ?? null,
  }
}

/** Returns the ID in the path. Returns null for any other text, because it can be a phone number, which isn't logged. */
function getPathId({ params }: FastifyRequest): number | null {
  const id = typeof params === 'object' && params !== null && 'id' in params ? Number(params.id) : null
  return Number.isSafeInteger(id) ? id : null
}

const maxFields = 10

/**
 * Returns a field's name, or a general one if it could be personal data. Clients choose the names of unknown fields,
 * but without digits and `@`, a name can't be a phone number or an email.
 */
function toSafeFieldName(name: string): string {
  if (name === '') return 'request body'
  return name.length <= 64 && /^[A-Za-z_-]+(\.([A-Za-z_-]+|\d{1,3}))*$/.test(name) ? name : 'another field'
}

/** Deletes requests after 14 days. */
export const deleteOldRequests = (db: Db, now: Date): Promise<void> => truncateOldDays(db, now)

import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { measureCallBacklog } from '../../calling/dialer/measure-backlog.ts'
import type { Deps } from '../../deps.ts'
import { ApiError, describeError } from '../../platform/core/errors.ts'
import { isStalled } from '../../platform/core/loop.ts'
import { countConnections } from '../../platform/db/connect.ts'
import { limitCheck } from '../../platform/db/outage.ts'
import type { ProcessState } from '../../platform/http/health.ts'
import { overloads, type OverloadState } from '../../platform/http/overload.ts'
import { hashToken } from '../../platform/secrets/tokens.ts'
import { measureDeliveryLag } from '../../webhooks/outbox.ts'

type MetricsDeps = Pick<Deps, 'config' | 'db' | 'clock' | 'log' | 'metrics'>

/** Mounts `/metrics`, in Prometheus's text format. Clients that may not read the metrics get the 404 of an unknown path. */
export function mountMetrics(
  app: FastifyInstance,
  deps: MetricsDeps,
  state: Readonly<ProcessState>,
  overload?: OverloadState,
): void {
  const { registry } = deps.metrics
  const measure = async () => {
    await updateGauges(deps, state)
    if (overload !== undefined) showOverload(deps, overload)
    return registry.metrics()
  }
  // Simultaneous requests share a measurement, because it costs queries and some milliseconds.
  let current: Promise<string> | undefined
  const requiresBearer = deps.config.metricsToken !== undefined
  app.get('/metrics', { schema: { hide: true }, config: { requiresBearer } }, async (request, reply) => {
    if (!mayScrape(deps.config, request)) throw new ApiError('not_found.url')
    current ??= measure().finally(() => (current = undefined))
    return reply.type(registry.contentType).send(await current)
  })
}

/**
 * Returns true if a client may read the metrics. With METRICS_TOKEN, the client must send the token. Otherwise, the client
 * must be on this machine, and Outdial must serve only this machine.
 */
function mayScrape(
  { metricsToken, isLoopbackOnly }: Deps['config'],
  { headers, socket }: Pick<FastifyRequest, 'headers' | 'socket'>,
): boolean {
  if (metricsToken === undefined) return isLoopbackOnly && isLoopbackAddress(socket.remoteAddress)
  return timingSafeEqual(hashToken(headers.authorization ?? ''), hashToken(`Bearer ${metricsToken}`))
}

const isLoopbackAddress = (address = ''): boolean => /^(::1|(::ffff:)?127\.[\d.]+)$/.test(address)

function showOverload({ metrics }: Pick<Deps, 'metrics'>, overload: OverloadState): void {
  const current = overload.current()
  for (const limit of overloads) metrics.overloaded.set({ limit }, Number(current.includes(limit)))
}

/** Sets the gauges. While the database is unavailable, removes the gauges that need it, so that they don't show old values. */
async function updateGauges(deps: MetricsDeps, state: Readonly<ProcessState>): Promise<void> {
  const { db, log, metrics } = deps
  for (const loop of state.loops) {
    metrics.loopAgeSeconds.set({ loop: loop.name }, loop.ageMs() / 1_000)
    metrics.loopStalled.set({ loop: loop.name }, Number(isStalled(loop)))
  }
  for (const { state: name, count } of countConnections(db))
    metrics.databaseConnections.set({ state: name }, count)

  const backlog = await limitCheck(measureBacklog(deps)).catch((error: unknown) => {
    log.warn({ error: describeError(error) }, 'failed to measure the backlog for the metrics')
    return undefined
  })
  metrics.databaseUp.set(backlog === undefined ? 0 : 1)
  const set = (gauge: { set(value: number): void; remove(): void }, value: number | undefined) =>
    value === undefined ? gauge.remove() : gauge.set(value)
  set(metrics.callQueueLagSeconds, backlog?.queueLag)
  set(metrics.deliveryLagSeconds, backlog?.deliveryLag)
  set(metrics.attemptsInProgress, backlog?.attemptsInProgress)
  set(metrics.attemptsWithoutWorker, backlog?.attemptsWithoutWorker)
  set(metrics.overdueEvents, backlog?.overdueEvents)
}

const measureBacklog = async (deps: Pick<Deps, 'db' | 'clock'>) => ({
  ...(await measureCallBacklog(deps)),
  deliveryLag: await measureDeliveryLag(deps),
})

/** Measures every request by its route's pattern. All unknown paths share one label value, so that clients can't add values. */
export function measureRequests(app: FastifyInstance, { metrics }: Pick<Deps, 'metrics'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const method = route === 'none' ? 'none' : request.method
    metrics.requestSeconds.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1_000)
    if (request.errorCode !== null) metrics.rejectedRequests.inc({ code: request.errorCode })
    done()
  })
}

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Notify } from '../../platform/core/notify.ts'

/** The metrics of this process. Labels never contain IDs, phone numbers, or names, so each label has few values. */
export interface Metrics {
  registry: Registry
  requestSeconds: Histogram<'method' | 'route' | 'status'>
  rejectedRequests: Counter<'code'>
  toolCallSeconds: Histogram<'kind' | 'result'>
  deliveryAttemptSeconds: Histogram<'result'>
  modelTokens: Counter<'direction'>
  apiLogDropped: Counter
  overloaded: Gauge<'limit'>
  databaseUp: Gauge
  databaseConnections: Gauge<'state'>
  readReplicaUp: Gauge
  readReplicaLagSeconds: Gauge
  callQueueLagSeconds: Gauge
  deliveryLagSeconds: Gauge
  attemptsInProgress: Gauge
  attemptsWithoutWorker: Gauge
  runtimeUp: Gauge
  repairedReports: Counter
  unreadableResponses: Counter
  redisUp: Gauge
  notificationsUp: Gauge
  overdueEvents: Gauge
  loopAgeSeconds: Gauge<'loop'>
  loopStalled: Gauge<'loop'>
  /** Counts completed calls and ended attempts. */
  listener: Partial<Notify>
}

/** Buckets in seconds, from the duration of one database statement to that of a request that's stuck. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Creates the metrics, in a separate registry. Their names and units follow the Prometheus naming practices. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const callsCompleted = new Counter({
    name: 'outdial_calls_completed_total',
    help: 'Calls that this process completed, by outcome and reason.',
    labelNames: ['outcome', 'ended_reason'],
    registers,
  })
  const attemptsEnded = new Counter({
    name: 'outdial_call_attempts_ended_total',
    help: 'Call attempts that this process ended, by outcome and reason.',
    labelNames: ['outcome', 'ended_reason'],
    registers,
  })
  const runtimeUp = gauge(
    'outdial_runtime_up',
    '1 if the agent runtime responded to the last dial request of this process. Only with TELEPHONY=http, on workers.',
  )
  runtimeUp.remove()
  const redisUp = gauge('outdial_redis_up', '1 if this process is connected to Redis. Only with REDIS_URL.')
  redisUp.remove()
  const notificationsUp = gauge(
    'outdial_notifications_up',
    '1 if this process has its connection for notifications between processes. Only with DATABASE_URL.',
  )
  notificationsUp.remove()
  const readReplicaUp = gauge(
    'outdial_read_replica_up',
    '1 if this process reads lists and exports from the read replica. Only with DATABASE_READ_URL.',
  )
  readReplicaUp.remove()
  const readReplicaLagSeconds = gauge(
    'outdial_read_replica_lag_seconds',
    "Maximum age of the read replica's data. Only with DATABASE_READ_URL, while the replica can be reached.",
  )
  readReplicaLagSeconds.remove()
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'outdial_http_request_duration_seconds',
      help: 'Duration of HTTP requests, except those of the tool server.',
      labelNames: ['method', 'route', 'status'],
      buckets: requestBuckets,
      registers,
    }),
    rejectedRequests: new Counter({
      name: 'outdial_http_errors_total',
      help: 'HTTP requests that got an error, by its code.',
      labelNames: ['code'],
      registers,
    }),
    toolCallSeconds: new Histogram({
      name: 'outdial_tool_call_duration_seconds',
      help: 'Duration of tool calls, by kind of tool and result (ok or error).',
      labelNames: ['kind', 'result'],
      buckets: requestBuckets,
      registers,
    }),
    deliveryAttemptSeconds: new Histogram({
      name: 'outdial_delivery_attempt_duration_seconds',
      help: 'Duration of webhook delivery attempts, by result.',
      labelNames: ['result'],
      buckets: requestBuckets,
      registers,
    }),
    modelTokens: new Counter({
      name: 'outdial_model_tokens_total',
      help: "Tokens that this process's requests to language models used, by direction (input or output). Only with LLM_URL.",
      labelNames: ['direction'],
      registers,
    }),
    apiLogDropped: new Counter({
      name: 'outdial_api_log_dropped_total',
      help: "API requests that are missing in the API log, because the database wasn't available.",
      registers,
    }),
    overloaded: new Gauge({
      name: 'outdial_overloaded',
      help: '1 if this process rejected a request within the last 10 seconds, because too many requests were in progress (limit requests) or too many bytes were still arriving (limit bodies).',
      labelNames: ['limit'],
      registers,
    }),
    readReplicaUp,
    readReplicaLagSeconds,
    databaseUp: gauge('outdial_database_up', '1 if the database responded to the last scrape.'),
    databaseConnections: new Gauge({
      name: 'outdial_database_connections',
      help: 'Connections of this process (busy, idle), and statements and transactions that wait for a connection (waiting).',
      labelNames: ['state'],
      registers,
    }),
    callQueueLagSeconds: gauge(
      'outdial_call_queue_lag_seconds',
      'How long the most delayed campaign with capacity has waited for a dialer. The same in every process.',
    ),
    deliveryLagSeconds: gauge(
      'outdial_delivery_lag_seconds',
      'How long the oldest due webhook delivery has waited for a sender. The same in every process.',
    ),
    attemptsInProgress: gauge(
      'outdial_call_attempts_in_progress',
      'Call attempts in progress. The same in every process.',
    ),
    attemptsWithoutWorker: gauge(
      'outdial_call_attempts_without_worker',
      'Call attempts whose lease has expired, so that another worker must end them or take them over. The same in every process.',
    ),
    overdueEvents: gauge(
      'outdial_overdue_events',
      'Calls that were completed at least 5 minutes ago and have no event. The same in every process.',
    ),
    runtimeUp,
    repairedReports: new Counter({
      name: 'outdial_runtime_reports_repaired_total',
      help: "Reports of the agent runtime that were saved with values shortened, replaced, or left out, because these values were too long or couldn't be read.",
      registers,
    }),
    unreadableResponses: new Counter({
      name: 'outdial_runtime_responses_unreadable_total',
      help: "Responses of the agent runtime to a request about a call, if the response or one of its reports couldn't be read.",
      registers,
    }),
    redisUp,
    notificationsUp,
    loopAgeSeconds: new Gauge({
      name: 'outdial_loop_age_seconds',
      help: "Seconds since a worker's loop last completed a round.",
      labelNames: ['loop'],
      registers,
    }),
    loopStalled: new Gauge({
      name: 'outdial_loop_stalled',
      help: "1 if a worker's loop has stalled, as in /readyz.",
      labelNames: ['loop'],
      registers,
    }),
    listener: {
      callCompleted: ({ outcome, endedReason }) => callsCompleted.inc(toLabels(outcome, endedReason)),
      attemptEnded: ({ outcome, endedReason }) => attemptsEnded.inc(toLabels(outcome, endedReason)),
    },
  }
}

const toLabels = (outcome: string | null, endedReason: string | null) => ({
  outcome: outcome ?? 'none',
  ended_reason: endedReason ?? 'none',
})

/** Adds the metrics of the Node.js process, such as CPU, memory, and event loop delay. Call it once per process. */
export const collectProcessMetrics = ({ registry }: Metrics): void =>
  collectDefaultMetrics({ register: registry })

import { afterEach, beforeEach } from '@jest/globals'
import type { RuntimeReport } from '@outdial/contract'
import pino from 'pino'
import { type DialerOptions, startDialer } from '../../calling/dialer/dialer.ts'
import { parseConfig } from '../../config.ts'
import { newWebhookSecret } from '../../platform/secrets/tokens.ts'
import type { Metrics } from '../../service/metrics/metrics.ts'
import { seedCall } from './calls.ts'
import { claimAndSettle } from './claim-and-settle.ts'
import type { TestDeps } from './deps.ts'
import { freshNumber } from './factories.ts'
import { receiveReport } from './receive-report.ts'
import { startTestRuntime, type TestRuntime } from './test-runtime.ts'
import { waitFor } from './wait.ts'
import { type CallsWorld, useCallsWorld } from './world.ts'

export const runtimeSecret = 'runtime-secret-of-at-least-thirty-two-characters'
/** The keys that sign requests to the runtime, the newer one first. */
export const signingKeys = [newWebhookSecret(), newWebhookSecret()] as const

const analysis = {
  summary: 'Wants a visit.',
  sentiment: 'positive' as const,
  goal_met: true,
  extracted: { visit: true },
}

/** Returns how many reports were repaired, and how many responses couldn't be read. */
export async function countBadReports({ repairedReports, unreadableResponses }: Metrics) {
  const [repaired, unreadable] = await Promise.all([repairedReports.get(), unreadableResponses.get()])
  return { repaired: repaired.values[0]?.value, unreadable: unreadable.values[0]?.value }
}

/** Gives every test a workspace whose calls are placed by an agent runtime that the test controls. */
export function useHttpRuntimeWorld() {
  let runtime: TestRuntime
  const logLines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void logLines.push(line) })
  beforeEach(async () => {
    logLines.length = 0
    runtime = await startTestRuntime()
  })
  const world = useCallsWorld(() => ({
    log,
    config: parseConfig({
      TELEPHONY: 'http',
      RUNTIME_URL: runtime.url,
      RUNTIME_SECRET: runtimeSecret,
      RUNTIME_SIGNING_KEY: signingKeys.join(),
      PUBLIC_URL: 'https://calls.example.com',
      LOG_LEVEL: 'silent',
    }),
  }))
  afterEach(() => runtime.stop())
  return {
    database: world.database,
    workers: world.workers,
    /** The log lines with warnings and errors. */
    logLines,
    get deps() {
      return world.deps
    },
    get seed() {
      return world.seed
    },
    get runtime() {
      return runtime
    },
    ...createReports(world),
    ...createActions(world, () => runtime),
  }
}

/** Returns functions that create reports with the current time, as the runtime would send them. */
function createReports(world: CallsWorld) {
  const timestamp = (secondsAgo = 0) =>
    new Date(world.deps.clock.now().getTime() - secondsAgo * 1000).toISOString()
  const answered = (sequence: number): RuntimeReport => ({ sequence, type: 'answered', at: timestamp() })
  const busy = (sequence: number): RuntimeReport => ({
    sequence,
    type: 'ended',
    outcome: 'busy',
    at: timestamp(),
  })
  const ended = (sequence: number, more: object = { analysis }) =>
    ({
      sequence,
      type: 'ended',
      outcome: 'answered',
      ended_reason: 'contact_hung_up',
      at: timestamp(),
      answered_at: timestamp(20),
      transcript: [
        { role: 'agent', text: 'Hello Maya.', at: timestamp(20) },
        { role: 'tool', text: 'Searched the knowledge base.', at: timestamp(10) },
      ],
      recording_url: 'https://runtime.example.com/recordings/1.mp3',
      ...more,
    }) as RuntimeReport
  return { analysis, timestamp, answered, busy, ended }
}

function createActions(world: CallsWorld, getRuntime: () => TestRuntime) {
  const dial = (options: Partial<DialerOptions> = {}, dialDeps: TestDeps = world.deps) => {
    const dialer = startDialer(dialDeps, options)
    world.workers.push(dialer)
    return dialer
  }
  /** Waits until the runtime has the call's dial request, and returns the attempt's ID. */
  const waitForDialRequest = async (callId: number): Promise<string> => {
    const request = await waitFor(
      async () =>
        getRuntime()
          .dialRequests()
          .find((candidate) => candidate.call_id === callId),
      () => world.deps.clock.advance(50),
    )
    return request.attempt_id
  }
  return {
    dial,
    waitForDialRequest,
    /** Queues a call, starts a dialer, and waits until the runtime has the dial request. */
    startRinging: async (options: Partial<DialerOptions> = {}, dialDeps: TestDeps = world.deps) => {
      const { id } = await seedCall(world.deps, world.seed, freshNumber())
      const dialer = dial(options, dialDeps)
      return { id, dialer, attemptId: await waitForDialRequest(id) }
    },
    /** Claims a call as a worker that then stops without ending the attempt. */
    claimAsLostWorker: async () => {
      const lease = { provider: 'http', workerId: crypto.randomUUID(), leaseMs: 0 }
      const [attempt] = await claimAndSettle(world.deps, lease, 1)
      if (attempt === undefined) throw new Error('there was nothing to claim')
      return attempt
    },
    /** Adds reports to the runtime's own reports of an attempt, and sends them to the service. */
    reportToBoth: async (attemptId: string, ...reports: RuntimeReport[]) => {
      getRuntime()
        .reportsByAttempt.get(attemptId)
        ?.push(...reports)
      for (const report of reports) await receiveReport(world.deps, attemptId, report)
    },
    /** Adds reports to the runtime's own reports of an attempt, but doesn't send them to the service. */
    reportOnlyToRuntime: (attemptId: string, ...reports: RuntimeReport[]) => {
      const { reportsByAttempt } = getRuntime()
      reportsByAttempt.set(attemptId, [...(reportsByAttempt.get(attemptId) ?? []), ...reports])
    },
  }
}

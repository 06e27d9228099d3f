import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { RuntimeDialRequest, type RuntimeReport } from '@outdial/contract'
import { verifySignature } from '../examples/runtime/signature.ts'
import type { CallLog } from './call-log.ts'
import { createRandom, type Random } from './random.ts'

type WithoutSequence<Report> = Report extends unknown ? Omit<Report, 'sequence' | 'at'> : never
type ReportInput = WithoutSequence<RuntimeReport>

interface RuntimeCall {
  reports: RuntimeReport[]
  hangUp: AbortController
}

/**
 * An agent runtime for TELEPHONY=http, which runs in the crash test's process. It never fails as a whole, so its call log is
 * complete. But some of its responses are lost, and some of its reports are sent only on request.
 */
export class FakeRuntime {
  /** The number of requests without a valid signature. */
  unsignedRequests = 0
  readonly #calls = new Map<string, RuntimeCall>()
  /** Attempts for which the runtime has returned 404. They must never be dialed afterward. */
  readonly #denied = new Set<string>()
  /** Calls whose first dial request was rejected, as by a runtime without capacity. */
  readonly #rejectedCalls = new Set<number>()
  readonly #server: Server

  readonly #callLog: CallLog
  /** The URLs of the processes that can receive reports. A report goes to the first one that responds. */
  readonly #apiOrigins: readonly string[]
  readonly #signingKey: string
  readonly #seed: string

  constructor(callLog: CallLog, apiOrigins: readonly string[], signingKey: string, seed: string) {
    this.#callLog = callLog
    this.#apiOrigins = apiOrigins
    this.#signingKey = signingKey
    this.#seed = seed
    this.#server = createServer((request, response) => void this.#handle(request, response))
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  /**
   * Returns a process's RUNTIME_URL. It contains the process's name, so that the call log can record which process made an
   * attempt.
   */
  url(process: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${process}`
  }

  close(): void {
    for (const { hangUp } of this.#calls.values()) hangUp.abort()
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = request
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    // The path starts with the name of the process, because its RUNTIME_URL ends with this name.
    const [, process = '', ...rest] = path.split('/')
    const id = rest[1] ?? ''
    const signed = method === 'POST' ? body : `${method} ${path}`
    if (!verifySignature(this.#signingKey, request.headers, signed)) {
      this.unsignedRequests += 1
      response.writeHead(401).end()
      return
    }
    if (method === 'POST') {
      this.#dial(RuntimeDialRequest.parse(JSON.parse(body)), process, response)
      return
    }
    const call = this.#calls.get(id)
    if (call === undefined) {
      this.#denied.add(id)
      response.writeHead(404).end()
    } else if (method === 'DELETE') {
      call.hangUp.abort()
      response.writeHead(204).end()
    } else {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ attempt_id: id, reports: call.reports }))
    }
  }

  #dial(request: RuntimeDialRequest, process: string, response: ServerResponse): void {
    const { attempt_id: id, call_id: callId } = request
    const random = createRandom(this.#seed, callId, request.attempt)
    if (this.#denied.has(id)) {
      response.writeHead(409).end()
      return
    }
    if (!this.#rejectedCalls.has(callId) && random.happens(0.02)) {
      this.#rejectedCalls.add(callId)
      response.writeHead(503).end()
      return
    }
    this.#callLog.start(id, callId, process, performance.now())
    if (!this.#calls.has(id)) {
      const call: RuntimeCall = { reports: [], hangUp: new AbortController() }
      this.#calls.set(id, call)
      void this.#run(request, call, random)
    }
    if (random.happens(0.03)) response.destroy()
    else response.writeHead(202).end()
  }

  async #run(request: RuntimeDialRequest, call: RuntimeCall, random: Random): Promise<void> {
    const report = (input: ReportInput, { isSent = true } = {}) => {
      const added = {
        ...input,
        sequence: call.reports.length + 1,
        at: new Date().toISOString(),
      }
      call.reports.push(added)
      if (isSent) void this.#send(request, added)
    }
    const wait = (minMs: number, maxMs: number) =>
      delay(random.between(minMs, maxMs), undefined, { signal: call.hangUp.signal }).catch(() => undefined)
    const hangUp = () => this.#callLog.end(request.attempt_id, performance.now())

    report({ type: 'ringing' })
    await wait(200, 1500)
    const outcome = random.pickWeighted({ answered: 12, no_answer: 4, busy: 2, declined: 1, failed: 1 })
    if (outcome !== 'answered' || call.hangUp.signal.aborted) {
      hangUp()
      report({ type: 'ended', outcome: outcome === 'answered' ? 'no_answer' : outcome })
      return
    }
    report({ type: 'answered' })
    const answeredAt = new Date().toISOString()
    await wait(500, 4000)
    hangUp()
    const analysis = {
      summary: 'Wants a quote.',
      sentiment: 'positive',
      goal_met: true,
      extracted: {},
    } as const
    const isAnalyzedLater = random.happens(0.1)
    report(
      {
        type: 'ended',
        outcome: 'answered',
        ended_reason: 'contact_hung_up',
        answered_at: answeredAt,
        transcript: [{ role: 'agent', text: 'Hello, this is Ava.', at: answeredAt }],
        ...(isAnalyzedLater ? {} : { analysis }),
      },
      { isSent: !random.happens(0.03) },
    )
    if (!isAnalyzedLater) return
    await delay(300)
    report({ type: 'analysis', analysis })
  }

  /** Sends a report until one of the API processes has received it. */
  async #send({ reports_url, attempt_token }: RuntimeDialRequest, report: RuntimeReport): Promise<void> {
    for (let turn = 0; turn < 300; turn += 1) {
      const origin = this.#apiOrigins[turn % this.#apiOrigins.length] ?? ''
      const response = await fetch(new URL(new URL(reports_url).pathname, origin), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${attempt_token}` },
        body: JSON.stringify(report),
        signal: AbortSignal.timeout(10_000),
      }).catch(() => undefined)
      await response?.text().catch(() => '')
      if (response && (response.status < 500 || response.status === 501)) return
      await delay(200)
    }
  }
}

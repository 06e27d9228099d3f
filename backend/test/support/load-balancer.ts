import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as sendRequest,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { isReady } from './service-process.ts'

/** A load balancer that follows the rule in docs/guides/upgrade.md: it sends requests only to processes whose `/readyz` succeeds. */
export interface LoadBalancer {
  url: string
  /** Returns true if requests go to this process. */
  sendsTo(target: string): boolean
  /** Requests that got no response from their process. The load balancer doesn't send them again. */
  failures: string[]
  close(): Promise<void>
}

/** The time between checks of a process. It's much shorter than necessary, so that tests are fast. */
const checkIntervalMs = 100

/** Starts a load balancer on `port`. Half of the requests use a new connection to their process, and the others an open one. */
export async function startLoadBalancer(port: number, targets: readonly string[]): Promise<LoadBalancer> {
  const ready = new Set<string>()
  const failures: string[] = []
  const keepAlive = new Agent({ keepAlive: true })
  const closing = new AbortController()
  let count = 0

  const check = async (target: string) => {
    while (!closing.signal.aborted) {
      if (await isReady(target)) ready.add(target)
      else ready.delete(target)
      await delay(checkIntervalMs, undefined, { signal: closing.signal }).catch(() => {})
    }
  }

  const forward = (request: IncomingMessage, response: ServerResponse) => {
    count += 1
    const candidates = [...ready]
    const target = candidates[count % candidates.length]
    const fail = (reason: string) => {
      failures.push(`${request.method} ${request.url} to ${target}: ${reason}`)
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    }
    if (target === undefined) {
      fail('no process is ready')
      return
    }
    const upstream = sendRequest(
      new URL(request.url ?? '/', target),
      { method: request.method, headers: copyHeaders(request), agent: count % 4 < 2 ? keepAlive : false },
      (received) => {
        response.writeHead(received.statusCode ?? 502, copyHeaders(received))
        // A stream of a tool session breaks when its process ends.
        received.on('error', () => response.destroy()).pipe(response)
      },
    )
    upstream.on('error', (error) => {
      if (!response.writableEnded && !response.destroyed) fail(error.message)
    })
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  }

  const server = createServer(forward).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const checks = targets.map(check)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sendsTo: (target) => ready.has(target),
    failures,
    close: async () => {
      closing.abort()
      await Promise.all(checks)
      server.closeAllConnections()
      server.close()
      keepAlive.destroy()
      await once(server, 'close')
    },
  }
}

/** Leaves out headers that apply to one connection only (RFC 9110, section 7.6.1). */
const copyHeaders = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !['connection', 'keep-alive'].includes(name)))

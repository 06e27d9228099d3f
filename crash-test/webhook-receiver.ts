import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'

/** How endpoints respond to the first request for each event. They accept later requests for it, except `gone`. */
const behaviors = ['ok', 'error', 'rate_limited', 'late', 'half', 'silent', 'gone'] as const
export type Behavior = (typeof behaviors)[number]

export interface ReceivedEvent {
  /** The time of `performance.now()` when the request arrived. */
  at: number
  path: string
  eventId: string
  callId: number
  body: string
  /** True if the header and the body have the same event ID. */
  hasOneId: boolean
  signedContent: string
  signatures: string
  /** True if the response was a complete 2xx. */
  accepted: boolean
}

const EventBody = z.object({ id: z.string(), data: z.object({ id: z.number() }) })

/** How long a `late` endpoint takes to respond. That's too long, because Outdial waits only 15 seconds. */
const lateMs = 17_000

/** Webhook endpoints that record all requests. Each behavior has a port, because Outdial limits the requests to each port. */
export class WebhookReceiver {
  readonly events: ReceivedEvent[] = []
  readonly #servers = new Map<Behavior, Server>()

  async listen(): Promise<void> {
    for (const behavior of behaviors) {
      const server = createServer((request, response) => void this.#receive(behavior, request, response))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      this.#servers.set(behavior, server)
    }
  }

  url(behavior: Behavior, path: string): string {
    const address = this.#servers.get(behavior)?.address() as AddressInfo
    return `http://127.0.0.1:${address.port}${path}`
  }

  close(): void {
    for (const server of this.#servers.values()) {
      server.closeAllConnections()
      server.close()
    }
  }

  async #receive(behavior: Behavior, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = performance.now()
    response.on('error', () => {})
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return // the process that sent the request was killed
    const { id, data } = EventBody.parse(JSON.parse(body))
    const header = (name: string) => String(request.headers[name] ?? '')
    const eventId = header('webhook-id')
    const path = request.url ?? ''
    const isFirst = !this.events.some((event) => event.path === path && event.eventId === eventId)
    const event: ReceivedEvent = {
      at,
      path,
      eventId,
      callId: data.id,
      body,
      hasOneId: id === eventId,
      signedContent: `${eventId}.${header('webhook-timestamp')}.${body}`,
      signatures: header('webhook-signature'),
      accepted: false,
    }
    this.events.push(event)
    if (isFirst || behavior === 'gone') {
      await fail(behavior, response)
      if (behavior !== 'ok') return
    }
    event.accepted = true
    response.writeHead(200).end()
  }
}

/** Makes the delivery fail as the behavior says: with a response, or without one. */
async function fail(behavior: Behavior, response: ServerResponse): Promise<void> {
  switch (behavior) {
    case 'ok':
    case 'silent':
      return
    case 'error':
      response.writeHead(500).end()
      return
    case 'rate_limited':
      response.writeHead(429, { 'retry-after': '2' }).end()
      return
    case 'gone':
      response.writeHead(410).end()
      return
    case 'late':
      await delay(lateMs)
      response.writeHead(200).end()
      return
    case 'half':
      response.socket?.end('HTTP/1.1 20')
  }
}

/** Verifies an event's signature as the Standard Webhooks specification describes. */
export function isSignedWith(event: ReceivedEvent, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = `v1,${createHmac('sha256', key).update(event.signedContent).digest('base64')}`
  return event.signatures.split(' ').includes(expected)
}

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Delivery {
  headers: IncomingHttpHeaders
  text: string
}

export interface WebhookListener {
  url: string
  /** Resolves to the next delivery that wasn't returned before. */
  next(): Promise<Delivery>
  close(): Promise<void>
}

/** Opens a webhook URL on loopback that responds to deliveries like Zapier does. */
export async function openWebhookListener(): Promise<WebhookListener> {
  const waiters: ((delivery: Delivery) => void)[] = []
  const deliveries: Delivery[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const delivery = { headers: request.headers, text: body }
      const waiter = waiters.shift()
      if (waiter) waiter(delivery)
      else deliveries.push(delivery)
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":"success"}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/hooks/standard/1/zap/`,
    next: () => {
      const delivery = deliveries.shift()
      return delivery ? Promise.resolve(delivery) : new Promise((resolve) => waiters.push(resolve))
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

import { randomUUID } from 'node:crypto'
import { type IncomingMessage, request as sendRequest } from 'node:http'
import type { Service } from './service.ts'

export interface LateResponse {
  status: number
  location: string
  text: string
}

interface LateRequest {
  /** Sends the rest of the body, and returns the response. */
  finish: () => Promise<LateResponse>
}

interface Options {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | string
}

/**
 * Sends a request without the last byte of its body. Resolves when the service reads the body, which is after it has checked
 * the headers. Rejects if the service responds before that.
 */
export async function beginRequest(
  { app, url }: Pick<Service, 'app' | 'url'>,
  options: Options,
): Promise<LateRequest> {
  const bytes = Buffer.from(options.body)
  const id = randomUUID()
  const reading = waitForReader(app.server, id)
  const sent = sendRequest(`${url}${options.path}`, {
    method: options.method,
    agent: false,
    headers: { ...options.headers, 'x-request-id': id, 'content-length': bytes.length },
  })
  const responding = new Promise<IncomingMessage>((resolve, reject) =>
    sent.on('response', resolve).on('error', reject),
  )
  sent.write(bytes.subarray(0, -1))
  const early = await Promise.race([reading, responding])
  if (early !== undefined)
    throw new Error(`${options.method} ${options.path}: ${early.statusCode} before the body arrived`)
  return {
    finish: async () => {
      sent.end(bytes.subarray(-1))
      const response = await responding
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      const { statusCode: status = 0, headers } = response
      return { status, location: headers.location ?? '', text: Buffer.concat(chunks).toString() }
    },
  }
}

/** Resolves when the service starts to read the body of the request with this ID. */
const waitForReader = (server: Service['app']['server'], id: string): Promise<undefined> =>
  new Promise((resolve) => {
    const onRequest = (request: IncomingMessage) => {
      if (request.headers['x-request-id'] !== id) return
      server.off('request', onRequest)
      request.on('newListener', (event) => {
        if (event === 'data' || event === 'readable') resolve(undefined)
      })
    }
    server.prependListener('request', onRequest)
  })

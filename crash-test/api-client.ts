import * as z from 'zod'

interface ApiResponse {
  status: number
  body: unknown
  /** The URL of the process that responded. */
  origin: string
}

/** Calls the public API as an automation platform does: with a time limit, and through either API process. */
export class ApiClient {
  readonly origins: readonly string[]
  readonly key: string

  constructor(origins: readonly string[], key: string) {
    this.origins = origins
    this.key = key
  }

  /** Sends one request. Returns undefined if it's unknown what the request did. */
  async send(options: {
    method: 'GET' | 'POST' | 'DELETE'
    path: string
    body?: unknown
    idempotencyKey?: string
    origin: string
    timeoutMs?: number
  }): Promise<ApiResponse | undefined> {
    const { method, path, body, idempotencyKey, origin, timeoutMs = 10_000 } = options
    try {
      const response = await fetch(`${origin}/api/public/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text), origin }
    } catch {
      return undefined
    }
  }

  /** Reads all pages of a list. Use it for the checks, when no disruption is active. */
  async list<Schema extends z.ZodType>(path: string, item: Schema): Promise<z.infer<Schema>[]> {
    const items: z.infer<Schema>[] = []
    const Page = z.object({ results: z.array(item), next: z.string().nullable() })
    let page: string | null = path
    while (page !== null) {
      const response = await this.send({
        method: 'GET',
        path: page,
        origin: this.origins[0] ?? '',
        timeoutMs: 60_000,
      })
      if (response?.status !== 200)
        throw new Error(`GET ${page} failed: ${response?.status ?? 'no response'}`)
      const { results, next } = Page.parse(response.body)
      items.push(...(results as z.infer<Schema>[]))
      page = next === null ? null : toPath(next)
    }
    return items
  }
}

const toPath = (url: string): string => {
  const { pathname, search } = new URL(url, 'http://localhost')
  return pathname.replace(/^.*\/v1/, '') + search
}

/** Returns true if a response is final: the request was done or rejected, so repeating it would change nothing. */
export const isFinal = (response: ApiResponse | undefined): response is ApiResponse =>
  response !== undefined && response.status < 500 && response.status !== 409 && response.status !== 429

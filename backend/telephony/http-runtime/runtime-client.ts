import type { RuntimeDialRequest } from '@outdial/contract'
import type { Clock } from '../../core/clock.ts'
import { errorCode } from '../../core/errors.ts'
import { signWebhook } from '../../outbound/sign-webhook.ts'
import { type CallState, parseCallState } from './parse-call-state.ts'

/** A runtime of the user's own, as docs/runtime.md describes it. */
export interface RuntimeClient {
  /**
   * Orders a call. `unclear` where the runtime may have it or not: only `ask` tells. Never rejects.
   */
  dial(request: RuntimeDialRequest): Promise<'taken' | 'refused' | 'unclear'>
  /** The reports so far, or `denied` where the runtime knows nothing of the attempt. Rejects where it is away. */
  getCallState(attemptId: string): Promise<CallState | 'denied'>
  /** Rejects where the runtime did not say that nobody is on the line any more. */
  hangUp(attemptId: string): Promise<void>
}

export interface RuntimeClientOptions {
  /** Without a trailing slash. */
  url: string
  /** The runtime secrets: each signs, so that a runtime may know the old or the new one. */
  secrets: () => readonly string[]
  clock: Clock
  timeoutMs?: number
}

/** Nothing was sent: there was nobody to send it to. */
const connectionErrorCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

export function createRuntimeClient(options: RuntimeClientOptions): RuntimeClient {
  const { url, secrets, clock, timeoutMs = 10_000 } = options

  const send = (method: string, path: string, body: string | undefined, headers: Record<string, string>) => {
    const id = path.split('/').at(-1) ?? path
    // Where there is no body, the signature is to hold method and path together.
    const signed = signWebhook({
      id: headers['Idempotency-Key'] ?? id,
      at: clock.now(),
      body: body ?? `${method} ${path}`,
      secrets: secrets().map(toWebhookSecret),
    })
    return fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...signed },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
  }

  return {
    dial: async (request) => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': request.attempt_id }
      try {
        const response = await send('POST', '/calls', JSON.stringify(request), headers)
        await response.body?.cancel()
        if (response.ok) return 'taken'
        return response.status < 500 ? 'refused' : 'unclear'
      } catch (error) {
        return connectionErrorCodes.has(errorCode(getCause(error))) ? 'refused' : 'unclear'
      }
    },
    getCallState: async (attemptId) => {
      const response = await send('GET', `/calls/${attemptId}`, undefined, { Accept: 'application/json' })
      if (response.status === 404) return (await response.body?.cancel(), 'denied')
      if (!response.ok) throw new Error(`the runtime answered ${response.status}`)
      return parseCallState(await response.text())
    },
    hangUp: async (attemptId) => {
      const response = await send('DELETE', `/calls/${attemptId}`, undefined, {})
      await response.body?.cancel()
      if (!response.ok && response.status !== 404) throw new Error(`the runtime answered ${response.status}`)
    },
  }
}

/** Standard Webhooks keys are base64: the secret's own bytes are the key. */
const toWebhookSecret = (secret: string): string => `whsec_${Buffer.from(secret).toString('base64')}`

const getCause = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined

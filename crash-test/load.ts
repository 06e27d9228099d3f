import { setTimeout as delay } from 'node:timers/promises'
import { Call, ContactAdded } from '@outdial/contract'
import { type ApiClient, isFinal } from './api-client.ts'
import type { Campaigns } from './campaigns.ts'
import type { Dashboard } from './dashboard.ts'
import { createRandom, type Random } from './random.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { WebhookReceiver } from './webhook-receiver.ts'

/** One `POST /contacts/` and its idempotency key, however often the request is repeated. */
interface PostedContact {
  key: string
  callbackPath: string | undefined
  /** The ID of the call, or undefined until a response acknowledges the request. */
  callId: number | undefined
  callQueued: boolean
}

/** A 2xx response to a `POST /contacts/`. Its time is that of `performance.now()`. */
export interface Acknowledgment {
  at: number
  origin: string
}

const numbers = 150

/** Returns a valid number in Washington, DC. The outcome of a simulated call depends on its digits. */
export const phoneNumber = (index: number): string => `+1202${2_000_000 + index * 29}`

/** The client, dashboard, and receivers with which a round's load works. */
interface RoundWorld {
  client: ApiClient
  dashboard: Dashboard
  campaigns: Campaigns
  subscriptions: Subscriptions
  receiver: WebhookReceiver
}

interface LoadOptions {
  seed: number
  round: number
  postsPerSecond: number
}

/** The steady load of a round: requests as a customer's automation sends them, whatever happens to the service. */
export class Load {
  readonly contacts: PostedContact[] = []
  readonly acknowledgments: Acknowledgment[] = []
  /** The IDs of calls whose cancellation was acknowledged. */
  readonly canceledCallIds = new Set<number>()
  /** Responses that no request of this load should get. */
  readonly unexpected: string[] = []
  #repeats = 0
  readonly #random: Random
  readonly #underway = new Set<Promise<void>>()
  #isStopped = false

  readonly #world: RoundWorld
  readonly #options: LoadOptions

  constructor(world: RoundWorld, options: LoadOptions) {
    this.#world = world
    this.#options = options
    this.#random = createRandom(options.seed, options.round, 'load')
  }

  get repeats(): number {
    return this.#repeats
  }

  start(): void {
    const random = this.#random
    this.#every(1000 / this.#options.postsPerSecond, () => this.#postContact())
    this.#every(4000, () => this.#world.subscriptions.churn(random.between(2000, 8000), random))
    this.#every(9000, () => this.#world.campaigns.pauseFor(random.between(1000, 4000), random))
    this.#every(1000, () => this.#world.campaigns.edit(random))
  }

  /** Stops sending new requests. Resolves when every request has a final response. */
  async stop(): Promise<void> {
    this.#isStopped = true
    while (this.#underway.size > 0) await Promise.all(this.#underway)
  }

  #every(intervalMs: number, work: () => Promise<void>): void {
    const loop = async () => {
      for (;;) {
        await delay(intervalMs * this.#random.between(0.5, 1.5))
        if (this.#isStopped) return
        this.#track(work())
      }
    }
    this.#track(loop())
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => this.#underway.delete(tracked))
    this.#underway.add(tracked)
  }

  async #postContact(): Promise<void> {
    const random = this.#random
    const index = this.contacts.length + 1
    const key = `round-${this.#options.round}-${index}`
    const callbackPath = random.happens(0.05) ? `/callback/${key}` : undefined
    const contact: PostedContact = { key, callbackPath, callId: undefined, callQueued: false }
    this.contacts.push(contact)
    const isForLater = random.happens(0.05)
    const body = {
      phone_number: phoneNumber(random.integer(0, numbers - 1)),
      campaign_id: this.#world.campaigns.pick(random),
      metadata: { key },
      if_already_queued: random.happens(0.9) || isForLater || callbackPath !== undefined ? 'queue' : 'skip',
      ...(isForLater && { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }),
      ...(callbackPath === undefined ? {} : { callback_url: this.#world.receiver.url('ok', callbackPath) }),
    }
    const response = await this.#sendUntilFinal({
      method: 'POST',
      path: '/contacts/',
      body,
      idempotencyKey: key,
    })
    if (response === undefined || response.status >= 300) return
    this.acknowledgments.push({ at: performance.now(), origin: response.origin })
    const { call, call_queued } = ContactAdded.parse(response.body)
    contact.callId = call.id
    contact.callQueued = call_queued
    if (isForLater) await this.#cancelUntilConfirmed(call.id)
    else if (random.happens(0.05)) await this.#cancel(call.id)
  }

  /** Tries to cancel a call that may have started. Records the call only if the dashboard confirms the cancellation. */
  async #cancel(callId: number): Promise<void> {
    const page = await this.#world.dashboard.press(`/calls/${callId}`, 'Cancel call')
    if (page?.text.includes('Call canceled.') === true) this.canceledCallIds.add(callId)
  }

  /** Cancels a call that's scheduled for later. Repeats this until the cancellation is confirmed. */
  async #cancelUntilConfirmed(callId: number): Promise<void> {
    const { client } = this.#world
    const path = `/calls/${callId}/`
    for (;;) {
      await this.#cancel(callId)
      if (this.canceledCallIds.has(callId)) return
      // The call may already be canceled, if only the confirmation was lost.
      const response = await client.send({ method: 'GET', path, origin: client.origins[0] ?? '' })
      if (response?.status === 200 && Call.parse(response.body).status === 'completed') {
        this.canceledCallIds.add(callId)
        return
      }
      await delay(500)
    }
  }

  /** Repeats a request with the same idempotency key until its response is final. */
  async #sendUntilFinal(request: { method: 'POST'; path: string; body: unknown; idempotencyKey?: string }) {
    const { origins } = this.#world.client
    const deadline = performance.now() + 300_000
    while (performance.now() < deadline) {
      const origin = origins[this.#random.integer(0, origins.length - 1)] ?? ''
      // Some clients wait only briefly. The service then handles a request whose client has disconnected.
      const timeoutMs = this.#random.happens(0.05) ? 30 : 10_000
      const response = await this.#world.client.send({ ...request, origin, timeoutMs })
      if (isFinal(response)) {
        if (response.status >= 300)
          this.unexpected.push(`${request.path}: ${response.status} ${JSON.stringify(response.body)}`)
        return response
      }
      this.#repeats += 1
      await delay(this.#random.between(200, 1000))
    }
    this.unexpected.push(`${request.path}: no final response within 5 minutes`)
    return undefined
  }
}

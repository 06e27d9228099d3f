import { setTimeout as delay } from 'node:timers/promises'
import { WebhookSubscription } from '@outdial/contract'
import { type ApiClient, isFinal } from './api-client.ts'
import type { CampaignName, Campaigns } from './campaigns.ts'
import type { Random } from './random.ts'
import type { Behavior, WebhookReceiver } from './webhook-receiver.ts'

/** A webhook subscription of this round. */
interface TestSubscription {
  id: number
  path: string
  secret: string
  /** The ID of the campaign whose events the endpoint gets. Undefined if it gets the events of all campaigns. */
  campaignId: number | undefined
  /** The value of `performance.now()` when `DELETE` was confirmed. Undefined until then. */
  endedAt: number | undefined
}

/**
 * The behaviors of endpoints that last the whole round, and the campaigns whose events they get. Endpoints that respond slowly
 * get only the events of the smallest campaign.
 */
const lasting: [Behavior, CampaignName | undefined][] = [
  ['ok', undefined],
  ['error', 'medium'],
  ['rate_limited', 'medium'],
  ['late', 'small'],
  ['half', 'small'],
  ['silent', 'small'],
  ['gone', 'medium'],
]

/** The webhook subscriptions of a round: some last the whole round, and others are added and removed. */
export class Subscriptions {
  /** The subscriptions that last the whole round, by their endpoint's behavior. */
  readonly lasting = new Map<Behavior, TestSubscription>()
  readonly passing: TestSubscription[] = []
  #count = 0

  readonly client: ApiClient
  readonly campaigns: Campaigns
  readonly receiver: WebhookReceiver
  readonly round: number

  constructor(client: ApiClient, campaigns: Campaigns, receiver: WebhookReceiver, round: number) {
    this.client = client
    this.campaigns = campaigns
    this.receiver = receiver
    this.round = round
  }

  async create(): Promise<void> {
    for (const [behavior, campaign] of lasting) {
      const campaignId = campaign && this.campaigns.ids[campaign]
      const path = `/round-${this.round}/${behavior}`
      this.lasting.set(behavior, await this.#subscribe(behavior, path, campaignId))
    }
  }

  /** Adds a subscription, waits, and removes it. */
  async churn(durationMs: number, random: Random): Promise<void> {
    this.#count += 1
    const campaignId = random.happens(0.5) ? this.campaigns.ids.large : undefined
    const path = `/round-${this.round}/passing-${this.#count}`
    const subscription = await this.#subscribe('ok', path, campaignId)
    this.passing.push(subscription)
    await delay(durationMs)
    await this.#unsubscribe(subscription, random)
  }

  /** Returns true if the API returns 404 for the subscription. */
  async isGone({ id }: TestSubscription): Promise<boolean> {
    const origin = this.client.origins[0] ?? ''
    const response = await this.client.send({ method: 'DELETE', path: `/webhooks/${id}/`, origin })
    return response?.status === 404
  }

  async #subscribe(
    behavior: Behavior,
    path: string,
    campaignId: number | undefined,
  ): Promise<TestSubscription> {
    const body = {
      target_url: this.receiver.url(behavior, path),
      event: 'call.completed',
      ...(campaignId === undefined ? {} : { filter: { campaign_id: campaignId } }),
    }
    for (let turn = 0; ; turn += 1) {
      const origin = this.client.origins[turn % this.client.origins.length] ?? ''
      const response = await this.client.send({ method: 'POST', path: '/webhooks/subscribe', body, origin })
      if (isFinal(response)) {
        const { id, secret } = WebhookSubscription.parse(response.body)
        return { id, path, secret, campaignId, endedAt: undefined }
      }
      await delay(300)
    }
  }

  async #unsubscribe(subscription: TestSubscription, random: Random): Promise<void> {
    let isUnknown = false
    for (;;) {
      const origin = this.client.origins[random.integer(0, this.client.origins.length - 1)] ?? ''
      const path = `/webhooks/${subscription.id}/`
      // The response can take as long as the delivery attempt of a killed worker could still take.
      const response = await this.client.send({ method: 'DELETE', path, origin, timeoutMs: 40_000 })
      if (response?.status === 204 || (isUnknown && response?.status === 404)) {
        subscription.endedAt = performance.now()
        return
      }
      isUnknown = true
      await delay(300)
    }
  }
}

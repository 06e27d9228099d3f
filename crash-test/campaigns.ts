import { setTimeout as delay } from 'node:timers/promises'
import { Campaign } from '@outdial/contract'
import * as z from 'zod'
import type { ApiClient } from './api-client.ts'
import type { Dashboard } from './dashboard.ts'
import type { Random } from './random.ts'
import type { Workspace } from './seed-workspace.ts'

/** The campaigns' limits of concurrent calls. `overload` gets calls only while the service is overloaded. */
export const campaignLimits = { small: 3, medium: 8, large: 40, overload: 100 }
export type CampaignName = keyof typeof campaignLimits

/** Retries unanswered calls after the API's shortest delay, which the simulated provider shortens further. */
export const retryPolicy = { max_attempts: 2, delay_minutes: 1, on: ['no_answer', 'busy'] }

/** The campaigns of a round. A dashboard edits, pauses, and resumes them, because the API can't. */
export class Campaigns {
  readonly ids: Record<CampaignName, number>
  readonly #dashboard: Dashboard

  private constructor(ids: Record<CampaignName, number>, dashboard: Dashboard) {
    this.ids = ids
    this.#dashboard = dashboard
  }

  static async create(client: ApiClient, dashboard: Dashboard, workspace: Workspace): Promise<Campaigns> {
    const ids: Partial<Record<CampaignName, number>> = {}
    for (const [name, max] of Object.entries(campaignLimits) as [CampaignName, number][]) {
      const response = await client.send({
        method: 'POST',
        path: '/campaigns/',
        origin: client.origins[0] ?? '',
        body: {
          name,
          agent_id: workspace.agentId,
          phone_number_id: workspace.phoneNumberId,
          calling_hours: {
            days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
            start: '00:00',
            end: '24:00',
          },
          max_concurrent_calls: max,
          retry: retryPolicy,
        },
      })
      if (response?.status !== 201) throw new Error(`couldn't create a campaign: ${JSON.stringify(response)}`)
      ids[name] = Campaign.parse(response.body).id
    }
    return new Campaigns(ids as Record<CampaignName, number>, dashboard)
  }

  pick(random: Random): number {
    return this.ids[random.pickWeighted({ small: 1, medium: 3, large: 6 })]
  }

  /** Pauses a campaign, waits, and resumes it. If resuming fails, the campaign is resumed at the end of the round. */
  async pauseFor(durationMs: number, random: Random): Promise<void> {
    const name = random.pick<CampaignName>(['small', 'medium', 'large'])
    if (!(await this.#dashboard.press(`/campaigns/${this.ids[name]}`, 'Pause'))) return
    await delay(durationMs)
    await this.#resume(name)
  }

  /** Edits a campaign, even while it makes calls. Its calling hours are the whole day, so calls stay due in every time zone. */
  async edit(random: Random): Promise<void> {
    const name = random.pick<CampaignName>(['small', 'medium', 'large'])
    const timeZone = random.pick(['America/New_York', 'Europe/Berlin'])
    await this.#dashboard.press(`/campaigns/${this.ids[name]}/edit`, 'Save', { time_zone: timeZone })
  }

  /** Resumes all campaigns that aren't active. */
  async resumeAll(client: ApiClient): Promise<void> {
    for (const name of Object.keys(campaignLimits) as CampaignName[]) {
      while (!(await this.#isActive(client, name))) {
        await this.#resume(name)
        await delay(100)
      }
    }
  }

  /** Resumes a campaign. If calls are waiting, the dashboard asks for confirmation first. */
  async #resume(name: CampaignName): Promise<void> {
    const path = `/campaigns/${this.ids[name]}`
    const isResumed = await this.#dashboard.press(path, 'Resume campaign')
    if (isResumed === undefined) await this.#dashboard.press(path, 'Resume')
  }

  async #isActive(client: ApiClient, name: CampaignName): Promise<boolean> {
    const response = await client.send({
      method: 'GET',
      path: '/campaigns/',
      origin: client.origins[0] ?? '',
    })
    if (response?.status !== 200) return false
    const { results } = z.object({ results: z.array(Campaign) }).parse(response.body)
    return results.find(({ id }) => id === this.ids[name])?.status === 'active'
  }
}

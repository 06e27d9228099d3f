import { setTimeout as delay } from 'node:timers/promises'
import { ContactAdded } from '@outdial/contract'
import type { ApiClient } from './api-client.ts'
import type { Campaigns } from './campaigns.ts'
import { phoneNumber } from './load.ts'

export interface Overload {
  /** The requests per second that the process handled before the overload, with 16 requests at a time. */
  capacity: number
  statuses: Record<string, number>
  /** The milliseconds until each response, by kind of response. */
  acceptedMs: number[]
  rejectedMs: number[]
  healthMs: number[]
  /** The IDs of the calls that were acknowledged. */
  callIds: number[]
}

/** Sends one API process ten times as many requests as it can handle, and measures its responses. */
export async function overload(
  client: ApiClient,
  campaigns: Campaigns,
  options: { measureMs: number; overloadMs: number; round: number },
): Promise<Overload> {
  const origin = client.origins[0] ?? ''
  const result: Overload = {
    ...{ capacity: 0, statuses: {}, acceptedMs: [], rejectedMs: [], healthMs: [], callIds: [] },
  }
  let count = 0
  const post = async (isMeasured: boolean) => {
    count += 1
    const startedAt = performance.now()
    const response = await client.send({
      method: 'POST',
      path: '/contacts/',
      body: { phone_number: phoneNumber(1000 + count), campaign_id: campaigns.ids.overload },
      idempotencyKey: `overload-${options.round}-${count}`,
      origin,
      timeoutMs: 60_000,
    })
    const durationMs = performance.now() - startedAt
    if (response?.status === 201) result.callIds.push(ContactAdded.parse(response.body).call.id)
    if (!isMeasured) return
    const status = String(response?.status ?? 'none')
    result.statuses[status] = (result.statuses[status] ?? 0) + 1
    if (response?.status === 201) result.acceptedMs.push(durationMs)
    else result.rejectedMs.push(durationMs)
  }

  const measuredUntil = performance.now() + options.measureMs
  const client16 = async () => {
    while (performance.now() < measuredUntil) await post(false)
  }
  await Promise.all(Array.from({ length: 16 }, client16))
  result.capacity = count / (options.measureMs / 1000)

  const startedAt = performance.now()
  const endsAt = startedAt + options.overloadMs
  const requests: Promise<void>[] = []
  const probe = async () => {
    while (performance.now() < endsAt) {
      const probedAt = performance.now()
      await fetch(`${origin}/healthz`).then((response) => response.text())
      result.healthMs.push(performance.now() - probedAt)
      await delay(50)
    }
  }
  const probing = probe()
  while (performance.now() < endsAt) {
    const due = ((performance.now() - startedAt) / 1000) * result.capacity * 10
    while (requests.length < due) requests.push(post(true))
    await delay(5)
  }
  await Promise.all(requests)
  await probing
  return result
}

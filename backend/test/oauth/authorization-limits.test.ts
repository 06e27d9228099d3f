import { beforeEach, describe, expect, it } from '@jest/globals'
import { startAuthorizationCleanup } from '../../privacy/delete-expired.ts'
import { type Flow, newFlow, useOAuthWorld } from '../support/oauth.ts'

const world = useOAuthWorld()
let flow: Flow

/** Starts authorizations like a stranger's program: no cookies, and no person behind it. */
async function start(count: number, url = flow.startUrl, from?: string): Promise<number[]> {
  const statuses: number[] = []
  for (let index = 0; index < count; index += 1) {
    const { pathname, search } = new URL(url)
    const response = await world.service.app.inject({
      url: pathname + search,
      ...(from !== undefined && { remoteAddress: from }),
    })
    statuses.push(response.statusCode)
  }
  return statuses
}

const storedAuthorizations = () =>
  world.db.selectFrom('oauth_payload').selectAll().where('model', '=', 'Interaction').execute()

beforeEach(async () => {
  world.service.deps.clock.advance(60_000)
  flow = await newFlow(world.zapier)
  await world.db.deleteFrom('oauth_payload').where('model', '=', 'Interaction').execute()
})

describe('authorizations that strangers start', () => {
  it('are limited to 60 per minute and network', async () => {
    const statuses = await start(61)
    expect(statuses.slice(0, 60).every((status) => status === 303)).toBe(true)
    expect(statuses[60]).toBe(429)
    expect(await storedAuthorizations()).toHaveLength(60)
    expect(await start(1, flow.startUrl, '203.0.113.7')).toEqual([303])
    world.service.deps.clock.advance(60_000)
    expect(await start(1)).toEqual([303])
  })

  it('are limited to 240 per minute for an IPv6 /48, whose owner has many networks', async () => {
    const limited: string[] = []
    for (let network = 0; network < 5; network += 1) {
      const address = `2001:db8:1:${network}::1`
      const statuses = await start(50, flow.startUrl, address)
      if (statuses.includes(429)) limited.push(address)
    }
    expect(limited).toEqual(['2001:db8:1:4::1'])
  })

  it('explain the limit on a page', async () => {
    await start(60)
    const response = await fetch(flow.startUrl, { redirect: 'manual' })
    expect(response.status).toBe(429)
    expect(await response.text()).toContain('Wait a minute, then reload this page.')
  })

  it('are rejected if the request is longer than 4,096 characters, and are stored in less than 5 KB', async () => {
    const long = await newFlow(world.zapier, { state: 'x'.repeat(4096) })
    expect(await start(1, long.startUrl)).toEqual([414])
    expect(await storedAuthorizations()).toEqual([])
    const largest = await newFlow(world.zapier, { state: 'x'.repeat(3500) })
    expect(await start(1, largest.startUrl)).toEqual([303])
    const [stored] = await storedAuthorizations()
    expect(JSON.stringify(stored?.payload).length).toBeLessThan(5_000)
  })

  it('are deleted within five minutes after they expire', async () => {
    const { deps } = world.service
    await start(3)
    const job = startAuthorizationCleanup(deps)
    while (deps.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await storedAuthorizations()).toHaveLength(3)
    deps.clock.advance(16 * 60_000)
    while ((await storedAuthorizations()).length > 0) await new Promise((resolve) => setImmediate(resolve))
    await job.stop()
  })
})

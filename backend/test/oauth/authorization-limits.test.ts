import { beforeEach, describe, expect, it } from '@jest/globals'
import { createAuthorizationLimits } from '../../accounts/oauth/authorization-limits.ts'
import { createLoneReplica } from '../../platform/replicas/replicas.ts'
import { PageError } from '../../platform/views/page-error.ts'
import { startAuthorizationCleanup } from '../../privacy/delete-expired.ts'
import { ManualClock } from '../support/clock.ts'
import { type Flow, newFlow, useOAuthWorld } from '../support/oauth.ts'

const world = useOAuthWorld()
let flow: Flow

/** Starts authorizations as a stranger's program does, without cookies and without signing in. Returns the statuses. */
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
  it('are limited to 60 per minute for each network', async () => {
    const statuses = await start(61)
    expect(statuses.slice(0, 60).every((status) => status === 303)).toBe(true)
    expect(statuses[60]).toBe(429)
    expect(await storedAuthorizations()).toHaveLength(60)
    expect(await start(1, flow.startUrl, '203.0.113.7')).toEqual([303])
    world.service.deps.clock.advance(60_000)
    expect(await start(1)).toEqual([303])
  })

  it('are limited to a total of 240 per minute from all networks in an IPv6 /48', async () => {
    const limited: string[] = []
    for (let network = 0; network < 5; network += 1) {
      const address = `2001:db8:1:${network}::1`
      const statuses = await start(50, flow.startUrl, address)
      if (statuses.includes(429)) limited.push(address)
    }
    expect(limited).toEqual(['2001:db8:1:4::1'])
  })

  it('are limited to three from each new network after all networks together have started 3,000 in a minute', async () => {
    const limits = createAuthorizationLimits({ clock: new ManualClock(), replicas: createLoneReplica() })
    const begin = (ip: string) =>
      limits.check({ ip }).then(
        () => 'begun',
        (error: unknown) => (error instanceof PageError ? error.status : error),
      )
    const begun = []
    for (let count = 0; count < 60; count += 1)
      for (let index = 0; index < 55; index += 1) begun.push(await begin(`203.0.113.${index}`))
    expect(begun.filter((result) => result === 'begun')).toHaveLength(3_000)
    const others = []
    for (let count = 0; count < 4; count += 1) others.push(await begin('198.51.100.7'))
    expect(others).toEqual(['begun', 'begun', 'begun', 503])
    expect(await begin('198.51.100.8')).toBe('begun')
  })

  it('over the limit get a page that says to wait a minute', async () => {
    await start(60)
    const response = await fetch(flow.startUrl, { redirect: 'manual' })
    expect(response.status).toBe(429)
    expect(await response.text()).toContain('Wait a minute, then reload this page.')
  })

  it('are rejected if their URL is longer than 4,096 characters, and otherwise take less than 5 KB in the database', async () => {
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

describe('long URLs', () => {
  const slashes = `?a=${'/'.repeat(15_500)}x`

  it.each(['/oauth/token', '/oauth/revoke', '/.well-known/oauth-authorization-server'])(
    'with the path %s are rejected with status 400 and a JSON error',
    async (path) => {
      const method = path.startsWith('/oauth/') ? 'POST' : 'GET'
      const response = await world.service.app.inject({ method, url: path + slashes })
      expect([response.statusCode, response.json()]).toMatchObject([
        400,
        { error: { code: 'malformed_json' } },
      ])
    },
  )

  it.each(['/oauth/authorize', '/oauth/authorize/x', '/connect/x'])(
    'with the path %s are rejected with status 414 and an error page',
    async (path) => {
      const response = await world.service.app.inject(path + slashes)
      expect([response.statusCode, response.headers['content-type']]).toEqual([
        414,
        'text/html; charset=utf-8',
      ])
    },
  )

  it('with one slash at the end of the path and 3,000 in the query are accepted', async () => {
    const response = await world.service.app.inject(
      `/.well-known/oauth-authorization-server/?a=${'/'.repeat(3_000)}x`,
    )
    expect(response.statusCode).toBe(200)
  })
})

it('limits each network to 1,200 requests a minute for tokens and revocations, and the body of each request to 16 KiB', async () => {
  const post = (url: string, remoteAddress: string, payload = 'grant_type=x') =>
    world.service.app.inject({
      ...{ method: 'POST', url, remoteAddress, payload },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const statuses = new Set<number>()
  for (let count = 0; count < 1_200; count += 1)
    statuses.add((await post(count % 2 === 0 ? '/oauth/token' : '/oauth/revoke', '203.0.113.9')).statusCode)
  expect(statuses.has(429)).toBe(false)
  const limited = await post('/oauth/token', '203.0.113.9')
  expect([limited.statusCode, limited.headers['retry-after']]).toEqual([429, '60'])
  expect((await post('/oauth/token', '203.0.113.10')).statusCode).not.toBe(429)
  expect((await post('/oauth/token', '203.0.113.10', 'a'.repeat(16 * 1024 + 1))).statusCode).toBe(413)
})

import { expect, it } from '@jest/globals'
import { seedSignedInMember, type SignedInUser, useOwnerWorld } from '../support/dashboard.ts'
import { beginRequest } from '../support/late-request.ts'
import { listenWithLimits, openConnection } from '../support/raw-connection.ts'

const { world, user } = useOwnerWorld()

/** Submits a form without a CSRF token, so that it changes nothing but counts toward the limit. Returns the statuses. */
async function submit(member: SignedInUser, path: string, times: number): Promise<number[]> {
  const headers = { cookie: member.browser.cookies().join('; ') }
  const body = new URLSearchParams({ name: 'x' })
  const submitOne = async () => {
    const response = await fetch(member.urlFor(path), { method: 'POST', redirect: 'manual', headers, body })
    await response.body?.cancel()
    return response.status
  }
  return Promise.all(Array.from({ length: times }, submitOne))
}

const countLimited = (statuses: number[]) => statuses.filter((status) => status === 429).length

it('lets a user submit at most 300 forms a minute, and at most 60 costly ones, such as the form of a tool', async () => {
  expect(countLimited(await submit(user, '/tools/new-http', 62))).toBe(2)
  expect(countLimited(await submit(user, '/contacts/new', 240))).toBe(2)
  const other = await seedSignedInMember(world.service, user.seed.workspaceId, 'member')
  expect(await submit(other, '/contacts/new', 1)).toEqual([403])
}, 60_000)

it('limits a user to 1,800 page requests a minute, enough for 20 live pages that refresh every second', async () => {
  const { deps } = world.service
  const headers = { cookie: user.browser.cookies().join('; ') }
  const { pathname } = new URL(user.urlFor('/account'))
  const open = (cookie = headers) => world.service.app.inject({ url: pathname, headers: cookie })
  // As many requests as 20 pages send in a minute if each refreshes every second.
  const statuses = new Set<number>()
  for (let count = 0; count < 1_200; count += 1) statuses.add((await open()).statusCode)
  expect([...statuses]).toEqual([200])
  for (let count = 1_200; count < 1_800; count += 1) await open()
  const limited = await open()
  expect([limited.statusCode, limited.headers['retry-after']]).toEqual([429, '60'])
  const other = await seedSignedInMember(world.service, user.seed.workspaceId, 'member')
  expect((await open({ cookie: other.browser.cookies().join('; ') })).statusCode).toBe(200)
  deps.clock.advance(60_000)
  expect((await open()).statusCode).toBe(200)
}, 300_000)

it("limits the total size of a user's concurrent uploads, and accepts another upload after one has ended", async () => {
  const { deps } = world.service
  const { app, port, url } = await listenWithLimits(deps, { maxUploadBytesPerUser: 40_000 })
  const path = new URL(user.urlFor('/contacts/import')).pathname
  const cookie = user.browser.cookies().join('; ')
  const contentType = 'multipart/form-data; boundary=x'
  const begin = () =>
    beginRequest(
      { app, url },
      {
        ...{ method: 'POST', path, headers: { cookie, 'content-type': contentType } },
        body: `--x\r\n${' '.repeat(30_000)}`,
      },
    )
  const first = await begin()
  const second = await openConnection(port)
  second.write(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\nContent-Length: 30000\r\n` +
      `Content-Type: ${contentType}\r\n\r\n--x\r\n`,
  )
  expect(await second.head()).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 5/i)
  second.destroy()
  await first.finish()
  const third = await begin()
  await third.finish()
})

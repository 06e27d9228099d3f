import { setTimeout } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { seedSignedInMember, type SignedInUser, useOwnerWorld } from '../support/dashboard.ts'
import { listenWithLimits, openConnection } from '../support/raw-connection.ts'
import { waitFor } from '../support/wait.ts'

const { world, user } = useOwnerWorld()

/** Submits a form without a CSRF token, so that it does nothing. It counts all the same. Returns the statuses. */
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

it('limits the forms that a user submits in a minute, and the costly ones further', async () => {
  expect(countLimited(await submit(user, '/tools/new-http', 62))).toBe(2)
  expect(countLimited(await submit(user, '/contacts/new', 240))).toBe(2)
  const other = await seedSignedInMember(world.service, user.seed.workspaceId, 'member')
  expect(await submit(other, '/contacts/new', 1)).toEqual([403])
}, 60_000)

it('limits the pages that a user opens in a minute, which twenty of the fastest live pages do not reach', async () => {
  const { deps } = world.service
  const headers = { cookie: user.browser.cookies().join('; ') }
  const { pathname } = new URL(user.urlFor('/account'))
  const open = (cookie = headers) => world.service.app.inject({ url: pathname, headers: cookie })
  // Twenty pages that load themselves every second.
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
})

it('limits the bytes of the files that a user uploads at the same time, until the uploads have ended', async () => {
  const { deps } = world.service
  const { port, ...listening } = await listenWithLimits(deps, { maxUploadBytesPerUser: 40_000 })
  const path = new URL(user.urlFor('/contacts/import')).pathname
  const cookie = user.browser.cookies().join('; ')
  const startOfUpload = (length: number) =>
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}\r\nContent-Length: ${length}\r\n` +
    'Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n'
  const upload = async (length: number) => {
    const connection = await openConnection(port)
    connection.write(startOfUpload(length))
    return connection
  }
  const first = await upload(30_000)
  await waitFor(async () => {
    const second = await upload(30_000)
    const head = await Promise.race([second.head(), setTimeout(200, '')])
    second.destroy()
    return /^HTTP\/1\.1 429 [^]*retry-after: 5/i.test(head)
  })
  first.destroy()
  await waitFor(async () => {
    const third = await upload(30_000)
    const head = await Promise.race([third.head(), setTimeout(200, 'still arriving')])
    third.destroy()
    return head === 'still arriving'
  })
  await listening.close()
})

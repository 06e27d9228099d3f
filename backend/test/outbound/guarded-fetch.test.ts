import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { createGuardedFetch, type GuardedFetch } from '../../outbound/guarded-fetch.ts'
import { useHttpReceiver } from '../support/http-receiver.ts'
import { blockedAddresses, loopbackSpellings } from '../support/network-addresses.ts'

const limits = { bytes: 1000, values: 10 }

let local: GuardedFetch
let online: GuardedFetch
beforeEach(() => {
  local = createGuardedFetch({ allowLoopback: true, limits })
  online = createGuardedFetch({ allowLoopback: false, limits })
})
// Registered before the receiver's hooks, because Jest runs these hooks in the order of their registration.
afterEach(() => Promise.all([local.close(), online.close()]))
const receiver = useHttpReceiver()

const forbidden = { cause: { name: 'ForbiddenAddressError' } }

it('sends a request to a permitted address and returns the response', async () => {
  receiver.respond = (_request, response) => response.writeHead(201, { 'x-answer': 'yes' }).end('welcome')
  const response = await local.fetch(receiver.url('/a?b=c'), {
    method: 'POST',
    headers: { 'x-test': 'yes' },
    body: 'hello',
  })
  expect([response.status, response.headers.get('x-answer'), await response.text()]).toEqual([
    201,
    'yes',
    'welcome',
  ])
  expect(receiver.requests).toMatchObject([{ path: '/a?b=c', body: 'hello', headers: { 'x-test': 'yes' } }])
})

it.each(loopbackSpellings)("doesn't connect to loopback written as %s", async (host) => {
  await expect(online.fetch(receiver.url('/', host))).rejects.toMatchObject(forbidden)
  expect(receiver.requests).toEqual([])
})

it.each(blockedAddresses)('rejects %s even if loopback is permitted', async (host) => {
  await expect(local.fetch(`http://${host}:4321/`)).rejects.toMatchObject(forbidden)
})

it('rejects a hostname that resolves to a private address', async () => {
  const resolve = async () => ['169.254.169.254']
  const named = createGuardedFetch({ allowLoopback: true, limits, resolve })
  await expect(named.fetch(receiver.url('/', 'mcp.example.test'))).rejects.toMatchObject(forbidden)
  await named.close()
})

it("doesn't follow a redirect", async () => {
  receiver.respondWith(307, { location: 'http://169.254.169.254/' })
  const response = await local.fetch(receiver.url())
  expect([response.status, response.headers.get('location')]).toEqual([307, 'http://169.254.169.254/'])
})

it('fails to read a body that is longer than the limit', async () => {
  receiver.respond = (_request, response) => response.end('x'.repeat(1001))
  const response = await local.fetch(receiver.url())
  await expect(response.text()).rejects.toMatchObject({ name: 'TooLargeError' })
})

it('limits the length of each event in an event stream, but not of the whole stream', async () => {
  const events = (text: string) => {
    receiver.respond = (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
  }
  const many = `data: ${'x'.repeat(700)}\r\n\r\ndata: ${'y'.repeat(700)}\n\n`.repeat(10)
  events(many)
  expect(await (await local.fetch(receiver.url())).text()).toBe(many)
  events(`data: ${'x'.repeat(700)}\ndata: ${'y'.repeat(700)}\n\n`)
  await expect((await local.fetch(receiver.url())).text()).rejects.toMatchObject({ name: 'TooLargeError' })
})

it('limits the values of a body, and of each event in an event stream', async () => {
  const list = (length: number) => JSON.stringify(Array.from({ length }, () => 1))
  const read = async (text: string, type: string) => {
    receiver.respond = (_request, response) => response.writeHead(200, { 'content-type': type }).end(text)
    return (await local.fetch(receiver.url())).text()
  }
  const permitted = list(9)
  expect(await read(permitted, 'application/json')).toBe(permitted)
  await expect(read(list(10), 'application/json')).rejects.toMatchObject({ name: 'TooLargeError' })
  const events = `data: ${permitted}\n\n`.repeat(5)
  expect(await read(events, 'text/event-stream')).toBe(events)
  // A quotation mark in another field hides nothing.
  await expect(read(`${events}id: "\ndata: ${list(10)}\n\n`, 'text/event-stream')).rejects.toMatchObject({
    name: 'TooLargeError',
  })
})

it('stops when its signal aborts', async () => {
  receiver.neverRespond()
  const fetching = local.fetch(receiver.url(), { signal: AbortSignal.timeout(50) })
  await expect(fetching).rejects.toMatchObject({ name: 'TimeoutError' })
})

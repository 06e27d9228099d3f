import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TlsOptions } from 'node:tls'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { createGuardedSend, ForbiddenAddressError, type Resolve } from '../../outbound/guard.ts'
import { closedAddresses, loopbackSpellings } from '../support/network-addresses.ts'
import { Receiver } from '../support/http-receiver.ts'
import { selfSigned } from '../support/self-signed-certificate.ts'

let receiver: Receiver
beforeEach(async () => {
  receiver = new Receiver()
  await receiver.listen()
})
afterEach(() => receiver.close())

const request = (url: string, signal = AbortSignal.timeout(10_000)) => ({
  url: new URL(url),
  method: 'POST' as const,
  headers: { 'x-test': 'yes' },
  body: 'hello',
  signal,
  maxBytes: 10,
})

/** A resolver that gives each list in its turn, and counts how often it is asked. */
function resolving(...answers: string[][]) {
  const asked: string[] = []
  const resolve: Resolve = async (host) => {
    asked.push(host)
    return answers[Math.min(asked.length, answers.length) - 1] ?? []
  }
  return { asked, resolve }
}

it('sends a request to a permitted address and tells the answer', async () => {
  receiver.answer = (_received, response) => response.writeHead(201, { 'x-answer': 'yes' }).end('welcome')
  const send = createGuardedSend({ allowLoopback: true })
  const answer = await send(request(receiver.url('/a?b=c')))
  expect(answer).toMatchObject({ status: 201, body: 'welcome', cut: false, headers: { 'x-answer': 'yes' } })
  expect(receiver.received).toMatchObject([{ path: '/a?b=c', body: 'hello', headers: { 'x-test': 'yes' } }])
})

it('cuts an answer that is longer than it may be', async () => {
  receiver.answer = (_received, response) => response.end('0123456789abc')
  const answer = await createGuardedSend({ allowLoopback: true })(request(receiver.url()))
  expect(answer).toMatchObject({ status: 200, body: '0123456789', cut: true })
})

it('reaches localhost without asking any name server', async () => {
  const answer = await createGuardedSend({ allowLoopback: true })(request(receiver.url('/', 'zap.localhost')))
  expect(answer.status).toBe(204)
})

it.each(loopbackSpellings)('makes no connection to loopback spelled %s', async (host) => {
  const send = createGuardedSend({ allowLoopback: false })
  await expect(send(request(receiver.url('/', host)))).rejects.toBeInstanceOf(ForbiddenAddressError)
  expect(receiver.received).toEqual([])
})

it.each(closedAddresses)('refuses %s though loopback is permitted', async (host) => {
  const send = createGuardedSend({ allowLoopback: true })
  await expect(send(request(`http://${host}:9/`))).rejects.toBeInstanceOf(ForbiddenAddressError)
})

it.each([
  ['127.0.0.1'],
  ['::1'],
  ['::ffff:127.0.0.1'],
  ['169.254.169.254'],
  ['fd00::1'],
  ['fe80::1%lo'],
  ['2130706433'],
])('refuses a name that resolves to %s', async (address) => {
  const { resolve } = resolving([address])
  const send = createGuardedSend({ allowLoopback: false, resolve })
  await expect(send(request(receiver.url('/', 'hooks.example.test')))).rejects.toBeInstanceOf(
    ForbiddenAddressError,
  )
  expect(receiver.received).toEqual([])
})

it('connects to none but the permitted ones among the addresses of a name', async () => {
  const { asked, resolve } = resolving(['10.0.0.1', '127.0.0.1', '169.254.169.254'])
  const send = createGuardedSend({ allowLoopback: true, resolve })
  const answer = await send(request(receiver.url('/', 'hooks.example.test')))
  expect(answer.status).toBe(204)
  expect(receiver.received[0]?.headers.host).toMatch(/^hooks\.example\.test:/)
  expect(asked).toEqual(['hooks.example.test'])
})

it('judges a name anew for every request, so that one which changes its address is refused', async () => {
  const { asked, resolve } = resolving(['127.0.0.1'], ['10.0.0.1'])
  const send = createGuardedSend({ allowLoopback: true, resolve })
  const url = receiver.url('/', 'hooks.example.test')
  expect((await send(request(url))).status).toBe(204)
  await expect(send(request(url))).rejects.toBeInstanceOf(ForbiddenAddressError)
  expect(asked).toHaveLength(2)
  expect(receiver.received).toHaveLength(1)
})

it('says so when a name has no address', async () => {
  const send = createGuardedSend({ allowLoopback: false, resolve: resolving([]).resolve })
  await expect(send(request('https://hooks.example.test/'))).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

it('ends with its signal though the name server never answers', async () => {
  const send = createGuardedSend({ allowLoopback: false, resolve: () => new Promise(() => {}) })
  const asking = send(request('https://hooks.example.test/', AbortSignal.timeout(50)))
  await expect(asking).rejects.toMatchObject({ name: 'TimeoutError' })
})

it('does not follow a redirect', async () => {
  receiver.always(302, { location: 'http://169.254.169.254/' })
  const answer = await createGuardedSend({ allowLoopback: true })(request(receiver.url()))
  expect(answer).toMatchObject({ status: 302, headers: { location: 'http://169.254.169.254/' } })
})

it('asks for the certificate of the name, and refuses one that nobody vouches for', async () => {
  const names: string[] = []
  const SNICallback: TlsOptions['SNICallback'] = (name, answer) => {
    names.push(name)
    answer(null)
  }
  const server = createServer({ ...selfSigned, SNICallback })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const send = createGuardedSend({ allowLoopback: true, resolve: resolving(['127.0.0.1']).resolve })
  const sending = send(request(`https://hooks.example.test:${port}/`))

  await expect(sending).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  expect(names).toEqual(['hooks.example.test'])
  server.close()
  await once(server, 'close')
})

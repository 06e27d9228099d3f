import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type TlsOptions } from 'node:tls'
import { describe, expect, it } from '@jest/globals'
import { createGuardedSend, ForbiddenAddressError, type ResolveHost } from '../../platform/outbound/guard.ts'
import { useHttpReceiver } from '../support/http-receiver.ts'
import { blockedAddresses, loopbackSpellings } from '../support/network-addresses.ts'
import { selfSigned } from '../support/self-signed-certificate.ts'

const receiver = useHttpReceiver()

const request = (url: string, signal = AbortSignal.timeout(10_000)) => ({
  url: new URL(url),
  method: 'POST' as const,
  headers: { 'x-test': 'yes' },
  body: 'hello',
  signal,
  maxBytes: 10,
})

/** Creates a resolver that returns the lists in order, and then repeats the last one. Records the resolved hosts. */
function createResolver(...addresses: string[][]) {
  const resolvedHosts: string[] = []
  const resolve: ResolveHost = async (host) => {
    resolvedHosts.push(host)
    return addresses[Math.min(resolvedHosts.length, addresses.length) - 1] ?? []
  }
  return { asked: resolvedHosts, resolve }
}

describe('requests and responses', () => {
  it('sends a request to a permitted address and returns the response', async () => {
    receiver.respond = (_request, response) => response.writeHead(201, { 'x-answer': 'yes' }).end('welcome')
    const send = createGuardedSend({ allowLoopback: true })
    const response = await send(request(receiver.url('/a?b=c')))
    expect(response).toMatchObject({
      status: 201,
      body: 'welcome',
      isTruncated: false,
      headers: { 'x-answer': 'yes' },
    })
    expect(receiver.requests).toMatchObject([{ path: '/a?b=c', body: 'hello', headers: { 'x-test': 'yes' } }])
  })

  it('truncates a response that is longer than the limit', async () => {
    receiver.respond = (_request, response) => response.end('0123456789abc')
    const response = await createGuardedSend({ allowLoopback: true })(request(receiver.url()))
    expect(response).toMatchObject({ status: 200, body: '0123456789', isTruncated: true })
  })

  it("doesn't follow a redirect", async () => {
    receiver.respondWith(302, { location: 'http://169.254.169.254/' })
    const response = await createGuardedSend({ allowLoopback: true })(request(receiver.url()))
    expect(response).toMatchObject({ status: 302, headers: { location: 'http://169.254.169.254/' } })
  })

  it("asks the server for the hostname's certificate, and rejects a self-signed one", async () => {
    const names: string[] = []
    const SNICallback: TlsOptions['SNICallback'] = (name, callback) => {
      names.push(name)
      callback(null)
    }
    const server = createServer({ ...selfSigned, SNICallback })
    server.on('tlsClientError', () => {})
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo

    const send = createGuardedSend({ allowLoopback: true, resolve: createResolver(['127.0.0.1']).resolve })
    const sending = send(request(`https://hooks.example.test:${port}/`))

    await expect(sending).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(names).toEqual(['hooks.example.test'])
    server.close()
    await once(server, 'close')
  })
})

describe('forbidden addresses', () => {
  it.each(loopbackSpellings)("doesn't connect to a loopback address that's written as %s", async (host) => {
    const send = createGuardedSend({ allowLoopback: false })
    await expect(send(request(receiver.url('/', host)))).rejects.toBeInstanceOf(ForbiddenAddressError)
    expect(receiver.requests).toEqual([])
  })

  it.each(blockedAddresses)('rejects %s even if loopback is permitted', async (host) => {
    const send = createGuardedSend({ allowLoopback: true })
    await expect(send(request(`http://${host}:9/`))).rejects.toBeInstanceOf(ForbiddenAddressError)
  })
})

describe('hostnames', () => {
  it('reaches localhost without querying a name server', async () => {
    const response = await createGuardedSend({ allowLoopback: true })(
      request(receiver.url('/', 'zap.localhost')),
    )
    expect(response.status).toBe(204)
  })

  it.each([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['169.254.169.254'],
    ['fd00::1'],
    ['fe80::1%lo'],
    ['2130706433'],
  ])('rejects a hostname that resolves to %s', async (address) => {
    const { resolve } = createResolver([address])
    const send = createGuardedSend({ allowLoopback: false, resolve })
    await expect(send(request(receiver.url('/', 'hooks.example.test')))).rejects.toBeInstanceOf(
      ForbiddenAddressError,
    )
    expect(receiver.requests).toEqual([])
  })

  it('connects only to the permitted addresses of a hostname', async () => {
    const { asked: resolvedHosts, resolve } = createResolver(['10.0.0.1', '127.0.0.1', '169.254.169.254'])
    const send = createGuardedSend({ allowLoopback: true, resolve })
    const response = await send(request(receiver.url('/', 'hooks.example.test')))
    expect(response.status).toBe(204)
    expect(receiver.requests[0]?.headers.host).toMatch(/^hooks\.example\.test:/)
    expect(resolvedHosts).toEqual(['hooks.example.test'])
  })

  it('resolves a hostname again for every request, and rejects the request once the address is private', async () => {
    const { asked: resolvedHosts, resolve } = createResolver(['127.0.0.1'], ['10.0.0.1'])
    const send = createGuardedSend({ allowLoopback: true, resolve })
    const url = receiver.url('/', 'hooks.example.test')
    expect((await send(request(url))).status).toBe(204)
    await expect(send(request(url))).rejects.toBeInstanceOf(ForbiddenAddressError)
    expect(resolvedHosts).toHaveLength(2)
    expect(receiver.requests).toHaveLength(1)
  })

  it('fails with ENOTFOUND when a hostname has no address', async () => {
    const send = createGuardedSend({ allowLoopback: false, resolve: createResolver([]).resolve })
    await expect(send(request('https://hooks.example.test/'))).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })

  it("stops a request when the request's signal aborts, even if the name server never responds", async () => {
    const send = createGuardedSend({ allowLoopback: false, resolve: () => new Promise(() => {}) })
    const sending = send(request('https://hooks.example.test/', AbortSignal.timeout(50)))
    await expect(sending).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

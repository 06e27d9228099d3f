import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { expect, it } from '@jest/globals'
import { root } from '../support/docs.ts'

const addresses = Object.values(networkInterfaces()).flatMap((found = []) =>
  found.map(({ address }) => address),
)
/** Addresses for tests with IPv6, which some containers don't have. */
const ipv6 = addresses.includes('::1') ? ['::', '::1'] : []

it.each(['127.0.0.1', '0.0.0.0', 'localhost', ...ipv6])(
  'the health check finds a service that listens with HOST=%s',
  async (HOST) => {
    const paths: (string | undefined)[] = []
    const server = createServer((request, response) => {
      paths.push(request.url)
      response.end()
    })
    server.listen({ port: 0, host: HOST })
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      const env = { HOST, PORT: String(port) }
      await promisify(execFile)(process.execPath, ['scripts/healthcheck.mjs'], { env, cwd: root })
      expect(paths).toEqual(['/readyz'])
    } finally {
      server.close()
    }
  },
)

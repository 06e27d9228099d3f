import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { createModelFetch, type ModelFetch } from '../../../calling/conversation/model/model-fetch.ts'
import { getError } from '../../support/wait.ts'

let server: Server
let client: ModelFetch
let url: string
beforeEach(async () => {
  server = createServer((request, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const write = () => {
      if (!response.destroyed) response.write(chunk, write)
    }
    response.writeHead(request.url === '/error' ? 500 : 200)
    write()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  client = createModelFetch()
})
afterEach(async () => {
  await client.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

it.each(['answer', 'error'])('stops reading an endless response after 4 MB: %s', async (path) => {
  const response = await client.fetch(`${url}/${path}`, { method: 'POST', body: '{}' })
  let bytes = 0
  const read = async () => {
    for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length
  }
  expect(await getError(read())).toMatchObject({ message: 'the response is too long' })
  expect(bytes).toBeLessThanOrEqual(4 * 1024 * 1024)
})

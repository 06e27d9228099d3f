import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from '@jest/globals'
import { limitClosing } from '../../http/close-connections.ts'
import { waitUntil } from '../support/wait.ts'

it('closes a connection that never sent a request, and lets a pending request finish', async () => {
  let pending: ServerResponse | undefined
  const server = createServer((_request, response) => (pending = response))
  const endConnections = limitClosing(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const unused = connect(port, '127.0.0.1')
  await once(unused, 'connect')
  const response = fetch(`http://127.0.0.1:${port}/`)
  await waitUntil(() => pending !== undefined)

  endConnections()
  const closed = once(server.close(), 'close')
  await once(unused, 'close')
  pending?.end('done')

  expect(await (await response).text()).toBe('done')
  await closed
})

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, it } from '@jest/globals'
import { createGracefulClosing } from '../../platform/http/close-connections.ts'
import { waitUntil } from '../support/wait.ts'

it('when the server closes, closes a connection that never sent a request, and lets a pending request finish', async () => {
  let pending: ServerResponse | undefined
  const server = createServer((_request, response) => (pending = response))
  const closing = createGracefulClosing(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const unused = connect(port, '127.0.0.1')
  await once(unused, 'connect')
  const response = fetch(`http://127.0.0.1:${port}/`)
  await waitUntil(() => pending !== undefined)

  closing.begin()
  const closed = closing.close()
  await once(unused, 'close')
  pending?.end('done')

  expect(await (await response).text()).toBe('done')
  await closed
})

/** Sends requests from another thread while this thread is blocked. The requests wait in the kernel's backlog. */
const client = `
  const { connect } = require('node:net')
  const { parentPort, workerData: { port, count, sent } } = require('node:worker_threads')
  const responses = Array.from({ length: count }, () => new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\\r\\nHost: test\\r\\nConnection: close\\r\\n\\r\\n', () => {
        Atomics.add(sent, 0, 1)
        Atomics.notify(sent, 0)
      }))
    socket.on('data', (chunk) => (text += chunk))
    socket.on('error', (error) => (text = error.code))
    socket.on('close', () => resolve(text.split('\\r\\n')[0]))
  }))
  Promise.all(responses).then((lines) => parentPort.postMessage(lines))
`

it('when the server closes, still responds to requests whose connections the kernel has already accepted', async () => {
  const server = createServer((_request, response) => void response.end('done'))
  const closing = createGracefulClosing(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const count = 100
  const sent = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(client, { eval: true, workerData: { port, count, sent } })
  const responses = once(worker, 'message')
  await once(worker, 'online')
  for (let done = 0; done < count; done = Atomics.load(sent, 0)) Atomics.wait(sent, 0, done)

  closing.begin()
  await closing.close()

  expect(await responses).toEqual([Array.from({ length: count }, () => 'HTTP/1.1 200 OK')])
  await worker.terminate()
})

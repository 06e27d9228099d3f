import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterEach } from '@jest/globals'
import type { FastifyInstance } from 'fastify'
import { createApp } from '../../app.ts'
import type { Deps } from '../../deps.ts'
import { defaultHttpLimits, type HttpLimits } from '../../platform/http/http-limits.ts'
import { useClosers } from './closers.ts'

/** Registers a resource to close after the test. */
export const closeAfterTest = useClosers(afterEach)

/** An app that listens on a free port of this machine. */
interface ListeningApp {
  app: FastifyInstance
  port: number
  url: string
  close(): Promise<void>
}

/** Starts an app with limits that the test chooses. It listens until the test ends. */
export async function listenWithLimits(
  deps: Deps,
  limits: Partial<HttpLimits> = {},
  remoteAddress = '127.0.0.1',
): Promise<ListeningApp> {
  const allLimits = { ...defaultHttpLimits, checkIntervalMs: 20, ...limits }
  const app = await createApp(deps, undefined, undefined, allLimits)
  await app.listen({ host: remoteAddress, port: 0 })
  const { port } = app.server.address() as AddressInfo
  const close = async () => {
    app.server.closeAllConnections()
    await app.close()
  }
  closeAfterTest(close)
  return { app, port, url: `http://127.0.0.1:${port}`, close }
}

/** A connection that sends exactly the test's bytes, and reads only if the test wants it to. */
export interface RawConnection {
  write(text: string): void
  /** Resolves when the server has closed the connection, with everything that it sent. */
  closed: Promise<string>
  /** Resolves with the head of the first response. */
  head(): Promise<string>
  destroy(): void
}

/** Opens a connection that closes when the test ends. With `reads: false`, it never reads. */
export async function openConnection(
  port: number,
  { reads = true }: { reads?: boolean } = {},
): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1')
  closeAfterTest(() => socket.destroy())
  await once(socket, 'connect')
  let received = ''
  const heads = new Set<() => void>()
  if (reads)
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text
      for (const notify of heads) notify()
    })
  else socket.pause()
  socket.on('error', () => {})
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)))
  return {
    write: (text) => void socket.write(text),
    closed,
    head: () =>
      new Promise((resolve, reject) => {
        const check = () => {
          const end = received.indexOf('\r\n\r\n')
          if (end !== -1) resolve(received.slice(0, end))
        }
        heads.add(check)
        check()
        void closed.then((text) => reject(new Error(`closed after ${JSON.stringify(text)}`)))
      }),
    destroy: () => socket.destroy(),
  }
}

/** Returns the start of a form's POST: its headers, and only a part of its body. */
export const partOfForm = (path: string, headers = '', sent = 'a'): string =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n${headers}\r\n${sent}`

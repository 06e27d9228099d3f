import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to the database that a test can cut and mend. */
export interface Proxy {
  url: string
  cut(): Promise<void>
  mend(): Promise<void>
}

/** `mended: false` for a server that is not there yet. */
export async function createProxy(databaseUrl: string, { mended = true } = {}): Promise<Proxy> {
  const target = new URL(databaseUrl)
  const host = decodeURIComponent(target.hostname)
  const port = Number(target.port || 5432)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
    }
    client.pipe(upstream).pipe(client)
  })
  const listen = (on: number) => new Promise<void>((resolve) => server.listen(on, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  await listen(0)
  const own = (server.address() as AddressInfo).port
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${own}`
  if (!mended) await close()
  return { url: url.href, cut: close, mend: () => listen(own) }
}

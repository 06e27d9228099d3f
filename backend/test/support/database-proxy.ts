import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy to the database that a test can disconnect and reconnect. */
export interface DatabaseProxy {
  url: string
  disconnect(): Promise<void>
  reconnect(): Promise<void>
  /** Disconnects when a client sends `text`, which then doesn't arrive. Resolves at that moment. */
  disconnectAt(text: string): Promise<void>
  /** Makes the open connections silent: nothing arrives in either direction, but they stay open. */
  silence(): void
  /** Makes the open connections silent when a client sends `text`, which then doesn't arrive. Resolves at that moment. */
  silenceAt(text: string): Promise<void>
}

/** Creates a proxy. With `isOpen: false`, it starts disconnected, like a server that isn't running yet. */
export async function createDatabaseProxy(
  databaseUrl: string,
  { isOpen = true } = {},
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const host = decodeURIComponent(target.hostname)
  const port = Number(target.port || 5432)
  const sockets = new Set<Socket>()
  const pairs = new Set<[Socket, Socket]>()
  let trigger: { text: string; act: () => void } | undefined
  const server = createServer((client) => {
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          peer.destroy()
        })
    }
    client.on('data', (bytes: Buffer) => {
      if (!trigger || !bytes.includes(trigger.text)) return
      client.unpipe(upstream)
      const { act } = trigger
      trigger = undefined
      act()
    })
    client.pipe(upstream).pipe(client)
    pairs.add([client, upstream])
  })
  const listen = (listenPort: number) =>
    new Promise<void>((resolve) => server.listen(listenPort, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  await listen(0)
  const proxyPort = (server.address() as AddressInfo).port
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${proxyPort}`
  if (!isOpen) await close()
  const silence = () => {
    for (const [client, upstream] of pairs) {
      client.unpipe(upstream).pause()
      upstream.unpipe(client).pause()
    }
  }
  const actAt = (text: string, act: () => void | Promise<void>) =>
    new Promise<void>((resolve) => (trigger = { text, act: () => void Promise.resolve(act()).then(resolve) }))
  return {
    url: url.href,
    disconnect: close,
    reconnect: () => listen(proxyPort),
    disconnectAt: (text) => actAt(text, close),
    silence,
    silenceAt: (text) => actAt(text, silence),
  }
}

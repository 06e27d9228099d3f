import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy on loopback between one process and the database. Its disruptions don't affect other processes. */
export class UnreliableProxy {
  readonly #connections = new Set<Connection>()
  readonly #server = createServer((client) => this.#accept(client))
  #isDeaf = false
  #isStalled = false

  readonly #targetPort: number

  constructor(targetPort: number) {
    this.#targetPort = targetPort
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Closes all open connections. */
  cut(): void {
    for (const connection of this.#connections) connection.destroy()
  }

  /** Discards everything that the database sends, until `heal` is called. */
  goDeaf(): void {
    this.#isDeaf = true
    for (const connection of this.#connections) connection.goDeaf()
  }

  /** Holds back all bytes in both directions, until `heal` is called. */
  stall(): void {
    this.#isStalled = true
    for (const connection of this.#connections) connection.stall()
  }

  /**
   * Silences the open connections until `heal` is called: nothing arrives in either direction, and neither side notices when
   * the other one closes the connection.
   */
  openBlackHole(): void {
    for (const connection of this.#connections) connection.silence()
  }

  /** Ends all disruptions. Closes connections that have lost bytes, and lets stalled ones continue. */
  heal(): void {
    this.#isDeaf = false
    this.#isStalled = false
    for (const connection of this.#connections) connection.heal()
  }

  close(): void {
    this.#server.close()
    this.cut()
  }

  #accept(client: Socket): void {
    const connection = new Connection(client, connect(this.#targetPort, '127.0.0.1'))
    this.#connections.add(connection)
    connection.onClosed = () => this.#connections.delete(connection)
    if (this.#isDeaf) connection.goDeaf()
    if (this.#isStalled) connection.stall()
  }
}

class Connection {
  readonly #client: Socket
  readonly #upstream: Socket
  #state: 'open' | 'stalled' | 'deaf' | 'silent' = 'open'
  onClosed = () => {}

  constructor(client: Socket, upstream: Socket) {
    this.#client = client
    this.#upstream = upstream
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket
        .on('error', () => {})
        .on('close', () => {
          if (this.#state !== 'silent') peer.destroy()
          if (client.destroyed && upstream.destroyed) this.onClosed()
        })
    }
    this.#connect()
  }

  goDeaf(): void {
    if (this.#state !== 'open') return
    this.#state = 'deaf'
    this.#upstream.unpipe(this.#client).resume()
  }

  stall(): void {
    if (this.#state !== 'open') return
    this.#state = 'stalled'
    this.#disconnect()
  }

  silence(): void {
    this.#disconnect()
    this.#state = 'silent'
  }

  heal(): void {
    if (this.#state === 'deaf' || this.#state === 'silent') this.destroy()
    if (this.#state === 'stalled') this.#connect()
    this.#state = 'open'
  }

  destroy(): void {
    this.#client.destroy()
    this.#upstream.destroy()
  }

  #connect(): void {
    this.#client.pipe(this.#upstream).pipe(this.#client)
  }

  #disconnect(): void {
    this.#client.unpipe(this.#upstream).pause()
    this.#upstream.unpipe(this.#client).pause()
  }
}

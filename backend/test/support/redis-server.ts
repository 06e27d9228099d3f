import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe } from '@jest/globals'
import { createClient } from '@redis/client'
import { findFixedPort } from './fixed-port.ts'
import { waitFor } from './wait.ts'

/** A Redis that belongs to a test, so that the test can stop it. */
export interface RedisServer {
  url: string
  /** Starts the server at the same address as before. Resolves when the server responds. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Stops the server, and removes its folder. */
  close(): Promise<void>
}

export async function startRedisServer(): Promise<RedisServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'outdial-redis-'))
  const port = await findFixedPort()
  const url = `redis://127.0.0.1:${port}`
  let child: ChildProcess | undefined
  process.once('exit', () => child?.kill())
  const start = async () => {
    child = spawn(
      'redis-server',
      ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--dir', folder],
      { stdio: 'ignore' },
    )
    await waitFor(() => responds(url))
  }
  const stop = async () => {
    if (child === undefined) return
    const exit = once(child, 'exit')
    child.kill()
    child = undefined
    await exit
  }
  await start()
  const close = async () => {
    await stop()
    await rm(folder, { recursive: true })
  }
  return { url, start, stop, close }
}

async function responds(url: string): Promise<boolean> {
  const client = createClient({ url, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    if (client.isOpen) client.destroy()
  }
}

/** Groups tests that start a Redis server. On a machine without one, they're skipped and say so; in CI, they fail. */
export const describeWithRedisServer = (name: string, tests: () => void): void =>
  hasRedisServer() || process.env.CI === 'true'
    ? describe(name, tests)
    : describe.skip(`${name} (SKIPPED: redis-server isn't installed)`, tests)

function hasRedisServer(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

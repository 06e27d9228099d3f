import { createClient } from '@redis/client'

/** Returns the URL in REDIS_URL, or that of a Redis on this machine. Returns undefined if it can't be reached. */
export async function findRedis(): Promise<string | undefined> {
  const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
  const client = createClient({ url, socket: { connectTimeout: 2_000, reconnectStrategy: false } })
  client.on('error', () => {})
  try {
    await client.connect()
    return url
  } catch {
    return undefined
  } finally {
    if (client.isOpen) client.destroy()
  }
}

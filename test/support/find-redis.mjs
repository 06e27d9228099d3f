import { createClient } from '@redis/client'

/**
 * Returns the URL of a Redis on this machine, or the one in OUTDIAL_TEST_REDIS. Returns undefined if it can't be
 * reached; tests that need Redis are then skipped. Other programs may use the same Redis, because tests use unique names in it.
 *
 * @throws {Error} in CI, if Redis can't be reached
 */
export async function findRedis() {
  const url = process.env.OUTDIAL_TEST_REDIS || 'redis://127.0.0.1:6379'
  const client = createClient({ url, socket: { connectTimeout: 2_000, reconnectStrategy: false } })
  client.on('error', () => {})
  try {
    await client.connect()
    return url
  } catch (error) {
    if (process.env.CI === 'true') throw new Error(`Redis can't be reached at ${url}.`, { cause: error })
    return undefined
  } finally {
    if (client.isOpen) client.destroy()
  }
}

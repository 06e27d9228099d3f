import { expect, it, jest } from '@jest/globals'
import { findFreePort } from '../platform/db/embedded/server-address.ts'
import { runScript } from './support/child-process.ts'
import { waitFor } from './support/wait.ts'
import { useTestDatabase } from './support/world.ts'

jest.setTimeout(60_000)
const database = useTestDatabase()

async function start(settings: Record<string, string> = {}) {
  const port = await findFreePort('127.0.0.1')
  const running = runScript('start', [], {
    DATABASE_URL: database.url,
    SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
    RUNTIME_SECRET: 'the-runtime-secret-of-these-tests',
    PORT: String(port),
    ...settings,
  })
  await running.waitForOutput(/Outdial is ready/)
  return { ...running, get: (path: string) => fetch(`http://127.0.0.1:${port}${path}`) }
}

it('after SIGTERM, makes /readyz fail, but still handles requests until load balancers have noticed', async () => {
  const { process, result, get } = await start({ SHUTDOWN_DELAY_SECONDS: '300' })
  expect((await get('/readyz')).status).toBe(200)
  process.kill('SIGTERM')
  const ready = await waitFor(async () => {
    const response = await get('/readyz')
    return response.status !== 200 && response
  })
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'stopping' }])
  const page = await get('/sign-in')
  expect([page.status, page.headers.get('connection')]).toEqual([200, 'close'])
  // Sends the signal repeatedly, because a second signal is ignored within a second of the first. A later signal ends the
  // process.
  const repeated = setInterval(() => process.kill('SIGTERM'), 100)
  expect((await result).code).toBe(1)
  clearInterval(repeated)
})

it('stops on Ctrl+C without waiting for the shutdown delay', async () => {
  const { process, result } = await start({ SHUTDOWN_DELAY_SECONDS: '300' })
  process.kill('SIGINT')
  expect((await result).code).toBe(0)
})

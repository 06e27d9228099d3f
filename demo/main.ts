import { openConnector } from '../support/built-connector.ts'
import { DemoError, findBackend } from './find-backend.ts'
import { openHook } from '../support/webhook-listener.ts'
import { exchange, title } from './print.ts'
import { tell } from './story.ts'
import { openWire } from './recording-proxy.ts'

/** Tells the whole story against the running backend. */
export async function main(): Promise<void> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const closers: (() => Promise<void>)[] = []
  try {
    const demo = await findBackend()
    title('Outdial: a lead comes in, a voice agent calls, and Zapier hears how it went')
    const wire = await openWire(demo.base_url, exchange)
    closers.push(() => wire.close())
    const hook = await openHook()
    closers.push(() => hook.close())
    const connector = await openConnector({
      baseUrl: wire.url,
      clientId: demo.client_id,
      clientSecret: demo.client_secret,
    })
    closers.push(() => connector.remove())
    await tell({ demo, connector, hook, stop: stop.signal })
  } catch (error) {
    process.exitCode = 1
    const message = stop.signal.aborted ? 'Stopped.' : error instanceof DemoError && error.message
    console.error(message ? `\n  ${message}\n` : error)
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

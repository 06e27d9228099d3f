import { openConnector } from '../support/built-connector.ts'
import { openWebhookListener } from '../support/webhook-listener.ts'
import { DemoError, findBackend } from './find-backend.ts'
import { printExchange, printTitle } from './print.ts'
import { openRecordingProxy } from './recording-proxy.ts'
import { runStory } from './story.ts'

/** Runs the whole demo against the running backend. */
export async function main(): Promise<void> {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const cleanups: (() => Promise<void>)[] = []
  try {
    const demo = await findBackend()
    printTitle('Outdial demo: a lead comes in, a voice agent calls, and Zapier gets the result')
    const proxy = await openRecordingProxy(demo.base_url, printExchange)
    cleanups.push(() => proxy.close())
    const webhookListener = await openWebhookListener()
    cleanups.push(() => webhookListener.close())
    const connector = await openConnector({
      baseUrl: proxy.url,
      clientId: demo.client_id,
      clientSecret: demo.client_secret,
    })
    cleanups.push(() => connector.remove())
    await runStory({ demo, connector, webhookListener, stop: stop.signal })
  } catch (error) {
    process.exitCode = 1
    const message = stop.signal.aborted ? 'Stopped.' : error instanceof DemoError && error.message
    console.error(message ? `\n  ${message}\n` : error)
  } finally {
    for (const close of cleanups.toReversed()) await close()
  }
}

import type { DemoFile } from '../backend/demo/demo-file.ts'
import type { BuiltConnector } from '../support/built-connector.ts'
import type { WebhookListener } from '../support/webhook-listener.ts'

/** What the steps of the story play with. */
export interface DemoContext {
  demo: DemoFile
  connector: BuiltConnector
  webhookListener: WebhookListener
  /** Aborted when the person has seen enough: what was made is still taken back. */
  stop: AbortSignal
}

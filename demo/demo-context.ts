import type { DemoFile } from '../backend/service/demo/demo-file.ts'
import type { BuiltConnector } from '../support/built-connector.ts'
import type { WebhookListener } from '../support/webhook-listener.ts'

/** The objects that the steps of the demo use. */
export interface DemoContext {
  demo: DemoFile
  connector: BuiltConnector
  webhookListener: WebhookListener
  /** Ctrl-C aborts this signal. The demo then still turns off the Zap and disconnects the account. */
  stop: AbortSignal
}

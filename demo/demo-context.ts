import type { DemoFile } from '../backend/demo/demo-file.ts'
import type { BuiltConnector } from '../support/built-connector.ts'
import type { Hook } from '../support/webhook-listener.ts'

/** What the steps of the story play with. */
export interface Stage {
  demo: DemoFile
  connector: BuiltConnector
  hook: Hook
  /** Aborted when the person has seen enough: what was made is still taken back. */
  stop: AbortSignal
}

import type { DemoFile } from '../backend/demo/file.ts'
import type { BuiltConnector } from './connector.ts'
import type { Hook } from './hook.ts'

/** What the steps of the story play with. */
export interface Stage {
  demo: DemoFile
  connector: BuiltConnector
  hook: Hook
  /** Aborted when the person has seen enough: what was made is still taken back. */
  stop: AbortSignal
}

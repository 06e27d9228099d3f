import type { CallTables } from './call-tables.ts'
import type { ToolTables } from './tool-tables.ts'
import type { WebhookTables } from './webhook-tables.ts'

type ArchivedTables = Pick<CallTables, 'call' | 'call_attempt'> &
  Pick<ToolTables, 'tool_call'> &
  Pick<WebhookTables, 'event' | 'webhook_delivery' | 'delivery_attempt'>

type Prefixed<Prefix extends string> = {
  [Name in keyof ArchivedTables as `${Prefix}_${Name}`]: ArchivedTables[Name]
}

/** Calls that ended long ago, with everything about them. Rows here never change; see db/restore-calls.ts. */
export type ArchiveTables = Prefixed<'archived'>

/** Views of the tables together with the archive. */
export type ArchiveViews = Prefixed<'any'>

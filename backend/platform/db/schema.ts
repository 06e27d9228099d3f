import type { Kysely } from 'kysely'
import type { ApiTables } from './tables/api-tables.ts'
import type { CallTables } from './tables/call-tables.ts'
import type { ConversationTables } from './tables/conversation-tables.ts'
import type { IdentityTables } from './tables/identity-tables.ts'
import type { ToolTables } from './tables/tool-tables.ts'
import type { WebhookTables } from './tables/webhook-tables.ts'

export type { AgentStatus } from './tables/call-tables.ts'
export type { ConversationEnd } from './tables/conversation-tables.ts'
export type { ToolKindName } from './tables/tool-tables.ts'

/** The tables that the migrations create. bigint is read as number, timestamptz as Date. */
export interface Database
  extends ApiTables, IdentityTables, CallTables, ConversationTables, WebhookTables, ToolTables {}

/** A connection pool, or a transaction on it. */
export type Db = Kysely<Database>

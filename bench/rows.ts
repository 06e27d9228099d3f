import type { Row } from './row.ts'
import { agents } from './rows/agents.ts'
import { calls } from './rows/calls.ts'
import { campaignLocks } from './rows/campaign-locks.ts'
import { claim } from './rows/claim.ts'
import { contacts, knownContacts } from './rows/contacts.ts'
import { conversations } from './rows/conversations.ts'
import { deliveries } from './rows/deliveries.ts'
import { indexes } from './rows/indexes.ts'
import { instructions } from './rows/instructions.ts'
import { lists } from './rows/lists.ts'
import { replicas } from './rows/replicas.ts'
import { rules } from './rows/rules.ts'
import { speedToLead } from './rows/speed-to-lead.ts'
import { start } from './rows/start.ts'
import { toolSessions } from './rows/tool-sessions.ts'

/** All rows, in the order of the table. */
export const rows: readonly Row[] = [
  speedToLead,
  contacts,
  knownContacts,
  campaignLocks,
  agents,
  calls,
  claim,
  rules,
  instructions,
  conversations,
  indexes,
  deliveries,
  replicas,
  toolSessions,
  start,
  lists,
]

import type { Row } from './row.ts'
import { agents } from './rows/agents.ts'
import { calls } from './rows/calls.ts'
import { contacts, knownContacts } from './rows/contacts.ts'

/** All rows, in the order of the table. */
export const rows: readonly Row[] = [contacts, knownContacts, agents, calls]

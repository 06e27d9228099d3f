import type { Row } from './row.ts'
import { contacts, knownContacts } from './rows/contacts.ts'

/** All rows, in the order of the table. */
export const rows: readonly Row[] = [contacts, knownContacts]

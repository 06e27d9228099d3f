import { toSingleLine } from '../../platform/core/text.ts'
import { detailColumns } from '../../platform/db/tables/contact-fields.ts'
import { formatLocalTime } from '../scheduling/local-time.ts'
import { contactLabels } from './contact-labels.ts'
import type { ContactDetails } from './find-contacts.ts'

interface Note {
  text: string
  created_at: Date
}

/**
 * Describes a contact for an agent, one fact per line.
 *
 * @param timeZone the contact's time zone, if known
 */
export function describeContact(
  contact: ContactDetails,
  notes: Note[],
  { now, timeZone }: { now: Date; timeZone: string | undefined },
): string {
  const name = [contact.first_name, contact.last_name].filter(Boolean).join(' ')
  const facts: (readonly [string, string | null | undefined])[] = [
    ['Name', name || 'unknown'],
    ['Phone number', contact.phone_number],
    ...detailColumns.map((column) => [contactLabels[column], contact[column]] as const),
    ['Local time', timeZone && formatLocalTime(now, timeZone)],
    ['Do not call', contact.do_not_call ? "yes, don't call this number again" : 'no'],
  ]
  // Marks a variable that has the name of a fact, so that the agent doesn't mistake it for the fact.
  const labels = new Set(facts.map(([label]) => label.toLowerCase()))
  const variables = Object.entries(contact.variables).map(
    ([variable, value]) =>
      [labels.has(variable.trim().toLowerCase()) ? `Variable ${variable}` : variable, value] as const,
  )
  const lines = [...facts, ...variables].flatMap(([label, value]) => (value ? [`${label}: ${value}`] : []))
  return [...lines, ...notes.map(formatNote)].map(toSingleLine).join('\n')
}

const formatNote = ({ text, created_at }: Note) =>
  `Note from ${created_at.toISOString().slice(0, 10)}: ${text}`

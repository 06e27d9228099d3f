import * as z from 'zod'
import { nameCountry } from '../../platform/core/countries.ts'
import { countryOfNumber } from '../../platform/core/phone.ts'
import type { Tone } from '../../platform/views/badges.ts'
import { formatConsentKind } from '../../queue/contacts/contact-labels.ts'
import { ImportedContact } from '../../queue/contacts/import/parse-row.ts'
import { describeIssue, RowIssue } from '../../queue/contacts/import/row-issue.ts'
import { timeZoneOfContact } from '../../queue/scheduling/time-zones.ts'
import type { PreviewRow } from './contact-import-queries.ts'

/** The values that were read from a row, and the effect of importing it. */
export interface PreviewLine {
  row: number
  phoneNumber: string
  country: string
  name: string
  timeZone: string
  consent: { source: string; at: string; kind: string } | null
  effect: { tone: Tone; text: string }
  details: string[]
}

const Fields = ImportedContact.partial()
const Issues = z.array(RowIssue)

export function toPreview(row: PreviewRow): PreviewLine {
  const { phone_number: phoneNumber } = row
  const fields = Fields.parse(row.fields)
  const country = phoneNumber === null ? undefined : countryOfNumber(phoneNumber)
  const timeZone =
    phoneNumber === null
      ? undefined
      : timeZoneOfContact({ time_zone: fields.time_zone ?? null, phone_number: phoneNumber })
  const issues = Issues.parse(row.issues)
  const [issue] = issues
  return {
    row: row.position,
    phoneNumber: phoneNumber ?? '',
    country: country === undefined ? '' : nameCountry(country),
    name: [fields.first_name, fields.last_name].filter(Boolean).join(' '),
    timeZone: timeZone ?? '',
    consent: fields.consent ? { ...fields.consent, kind: formatConsentKind(fields.consent.kind) } : null,
    effect: effects[row.state],
    details: [
      ...(row.state === 'invalid' && issue !== undefined ? [describeIssue(issue)] : []),
      ...(fields.do_not_call === true ? ['Added to the do-not-call list.'] : []),
      ...(row.on_do_not_call_list && fields.do_not_call !== true ? ['On the do-not-call list.'] : []),
      ...(fields.consent_denied === true ? ['Not called: no consent.'] : []),
      ...issues.flatMap(({ kind, message }) => (kind === 'country' || kind === 'frequency' ? [message] : [])),
    ],
  }
}

const effects: Record<PreviewRow['state'], PreviewLine['effect']> = {
  new: { tone: 'good', text: 'New contact' },
  existing: { tone: 'live', text: 'Updates a contact' },
  duplicate: { tone: 'mute', text: 'Skipped: duplicate' },
  invalid: { tone: 'bad', text: 'Skipped: error' },
}

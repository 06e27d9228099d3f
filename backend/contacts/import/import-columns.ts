import * as z from 'zod'

/** Names, as in the API, of the fields that a column can contain. `name` is the first and last name in one column. */
const importFields = [
  'phone_number',
  'country',
  'first_name',
  'last_name',
  'name',
  'email',
  'external_id',
  'time_zone',
  'do_not_call',
  'consent_source',
  'consent_at',
] as const
export type ImportField = (typeof importFields)[number]

export const ImportColumn = z.object({
  header: z.string(),
  field: z.enum(importFields).nullable(),
  /** The name of the variable, if the column isn't a field. */
  variable: z.string().nullable(),
})
export type ImportColumn = z.infer<typeof ImportColumn>

// cspell:disable
/** Headers that people and other programs use, in lower case, without spaces and punctuation. */
const headerNames: Record<ImportField, string[]> = {
  phone_number: [
    ...['phonenumber', 'phone', 'mobile', 'mobilephone', 'mobilenumber', 'mobilephonenumber', 'cell'],
    ...['cellphone', 'cellphonenumber', 'telephone', 'telephonenumber', 'tel', 'number', 'phoneno', 'phone1'],
    ...[
      'primaryphone',
      'phone1value',
      'telefon',
      'telefonnummer',
      'handy',
      'téléphone',
      'teléfono',
      'telefono',
    ],
  ],
  country: ['country', 'countrycode'],
  first_name: ['firstname', 'first', 'givenname', 'forename', 'vorname', 'prénom', 'prenom', 'nombre'],
  last_name: ['lastname', 'last', 'surname', 'familyname', 'nachname', 'apellido', 'apellidos'],
  name: ['name', 'fullname', 'contactname', 'displayname'],
  email: ['email', 'emailaddress', 'mail', 'email1', 'email1value', 'primaryemail'],
  external_id: ['externalid', 'id', 'crmid', 'contactid', 'customerid', 'recordid', 'leadid'],
  time_zone: ['timezone', 'tz'],
  do_not_call: ['donotcall', 'dnc', 'optout', 'optedout', 'donotcontact'],
  consent_source: ['consentsource', 'consent'],
  consent_at: ['consentat', 'consentdate', 'consenttime'],
}
// cspell:enable

const fieldByName = new Map(
  Object.entries(headerNames).flatMap(([field, all]) =>
    all.map((name) => [name, field as ImportField] as const),
  ),
)

/** Parts of headers of people who opted out, in whatever words: “Unsubscribed”, “DNC status”, “Has opted out of calls”. */
const optOut = /donotcall|donotcontact|dnc|optout|optedout|unsubscri/ // cspell:disable-line

/** Other channels, whose opt-outs say nothing about calls. */
const otherChannel = /mail|sms|text|fax|newsletter/

/** Returns the field that a column with this header contains. Undefined if it isn't a field. */
function recognizeField(header: string): ImportField | undefined {
  const name = header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const field = fieldByName.get(name)
  if (field !== undefined) return field
  return optOut.test(name) && !otherChannel.test(name) ? 'do_not_call' : undefined
}

/**
 * Recognizes columns by their headers. The second of two columns for the same field becomes a variable. But each column
 * that can say “do not call” counts, because taking it for a variable would call people who have opted out.
 */
export function recognizeColumns(headers: readonly string[]): ImportColumn[] {
  const used = new Set<string>()
  return headers.map((raw) => {
    const header = raw.trim()
    const field = recognizeField(header)
    if (field !== undefined && (field === 'do_not_call' || !used.has(field))) {
      used.add(field)
      return { header, field, variable: null }
    }
    const variable = header.slice(0, 100)
    if (variable === '' || used.has(`=${variable}`)) return { header, field: null, variable: null }
    used.add(`=${variable}`)
    return { header, field: null, variable }
  })
}

/** Returns two columns that both contain a part of the consent, so that nobody can tell which one counts. */
export function findConflictingColumns(columns: readonly ImportColumn[]): [string, string] | undefined {
  for (const field of ['consent_source', 'consent_at'] as const) {
    const [first, second] = columns.filter(({ header }) => recognizeField(header) === field)
    if (first !== undefined && second !== undefined) return [first.header, second.header]
  }
  return undefined
}

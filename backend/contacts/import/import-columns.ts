import * as z from 'zod'
import { consentColumns, textColumns } from '../../db/tables/contact-fields.ts'

/**
 * The fields that a column can contain. `name` is the first and last name in one column. Variables have columns with
 * names of their own.
 */
const importFields = [
  'phone_number',
  'country',
  'name',
  'do_not_call',
  ...textColumns,
  ...consentColumns,
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
/** Headers that people and other programs use besides the field's own name. */
const otherNames: { [Field in ImportField]?: string[] } = {
  phone_number: [
    ...['phone', 'mobile', 'mobilephone', 'mobilenumber', 'mobilephonenumber', 'cell'],
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
  country: [
    ...['countrycode', 'countryregion', 'countryname', 'countryiso', 'countryisocode', 'isocountrycode'],
    ...['phonecountry', 'phonecountrycode', 'dialcode', 'dialingcode', 'callingcode'],
  ],
  first_name: ['first', 'givenname', 'forename', 'vorname', 'prénom', 'prenom', 'nombre'],
  last_name: ['last', 'surname', 'familyname', 'nachname', 'apellido', 'apellidos'],
  name: ['fullname', 'contactname', 'displayname'],
  email: ['emailaddress', 'mail', 'email1', 'email1value', 'primaryemail'],
  external_id: ['id', 'crmid', 'contactid', 'customerid', 'recordid', 'leadid'],
  time_zone: ['tz'],
  do_not_call: ['dnc', 'optout', 'optedout', 'donotcontact'],
  consent_source: ['consent'],
  consent_at: ['consentdate', 'consenttime'],
}
// cspell:enable

/** Returns a header in lower case, without spaces and punctuation. */
const toName = (header: string): string => header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const fieldByName = new Map(
  importFields.flatMap((field) =>
    [toName(field), ...(otherNames[field] ?? [])].map((name) => [name, field] as const),
  ),
)

/** Parts of headers of people who opted out, in whatever words: “Unsubscribed”, “DNC status”, “Has opted out of calls”. */
const optOut = /donotcall|donotcontact|dnc|optout|optedout|unsubscri/ // cspell:disable-line

/** Other channels, whose opt-outs say nothing about calls. */
const otherChannel = /mail|sms|text|fax|newsletter/

/** Returns the field that a column with this header contains. Undefined if it isn't a field. */
function recognizeField(header: string): ImportField | undefined {
  const name = toName(header)
  const field = fieldByName.get(name)
  if (field !== undefined) return field
  return optOut.test(name) && !otherChannel.test(name) ? 'do_not_call' : undefined
}

/**
 * Fields of which all columns count: taking the second one for a variable would call people who have opted out, or strangers
 * in another country.
 */
const repeatable: ReadonlySet<ImportField> = new Set(['do_not_call', 'country'])

/** Recognizes columns by their headers. Of fields that aren't `repeatable`, the second column becomes a variable. */
export function recognizeColumns(headers: readonly string[]): ImportColumn[] {
  const used = new Set<string>()
  return headers.map((raw) => {
    const header = raw.trim()
    const field = recognizeField(header)
    if (field !== undefined && (repeatable.has(field) || !used.has(field))) {
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

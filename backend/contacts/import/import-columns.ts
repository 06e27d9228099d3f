/** What a column of a file can tell of a contact, as the API names it. `name` is a first and a last one together. */
export const importFields = [
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

export interface ImportColumn {
  /** As it stands in the file. */
  header: string
  field: ImportField | null
  /** The variable that it becomes, where it is no field. */
  variable: string | null
}

/** How people and other programs call the columns, without case, spaces and signs. */
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

const fieldByName = new Map(
  Object.entries(headerNames).flatMap(([field, all]) =>
    all.map((name) => [name, field as ImportField] as const),
  ),
)

/** Each column by its name; of two with one meaning the first counts, and the other becomes a variable. */
export function recognizeColumns(headers: readonly string[]): ImportColumn[] {
  const used = new Set<string>()
  return headers.map((raw) => {
    const header = raw.trim()
    const field = fieldByName.get(header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')) ?? null
    if (field !== null && !used.has(field)) {
      used.add(field)
      return { header, field, variable: null }
    }
    const variable = header.slice(0, 100)
    if (variable === '' || used.has(`=${variable}`)) return { header, field: null, variable: null }
    used.add(`=${variable}`)
    return { header, field: null, variable }
  })
}

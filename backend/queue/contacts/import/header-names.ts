import type { ImportField } from './import-columns.ts'

// Headers of files that people and other programs write, in several languages, without accents and punctuation. The tests in
// header-cases.test.ts say which program writes which headers.

// cspell:disable
/** Names that match a whole header. The best name of a field is first. */
export const headerNames: { [Field in ImportField]?: readonly string[] } = {
  first_name: [
    ...['first name', 'given name', 'forename', 'first', 'fname', 'full name first', 'name first', 'vorname'],
    ...['prenom', 'nombre de pila', 'nombre', 'primeiro nome', 'nome proprio', 'nome', 'voornaam'],
  ],
  last_name: [
    ...['last name', 'family name', 'surname', 'last', 'lname', 'full name last', 'name last', 'nachname'],
    ...[
      'familienname',
      'nom de famille',
      'nom',
      'apellidos',
      'apellido',
      'sobrenome',
      'apelido',
      'ultimo nome',
    ],
    ...['cognome', 'achternaam'],
  ],
  name: [
    ...[
      'full name',
      'name',
      'contact name',
      'display name',
      'customer name',
      'client name',
      'vollstandiger name',
    ],
    ...['voller name', 'vor und nachname', 'nombre completo', 'nombre y apellidos', 'nom complet'],
    ...['nom et prenom', 'nome completo', 'nome e cognome', 'nome e sobrenome', 'volledige naam', 'naam'],
  ],
  email: [
    ...['email', 'e mail', 'email address', 'e mail address', 'mail', 'primary email', 'email 1', 'e mail 1'],
    ...['email 1 value', 'e mail 1 value', 'e mail adresse', 'email adresse', 'mailadresse', 'adresse email'],
    ...['adresse e mail', 'courriel', 'correo electronico', 'correo', 'direccion de correo electronico'],
    ...[
      'endereco de email',
      'endereco de e mail',
      'indirizzo email',
      'indirizzo e mail',
      'posta elettronica',
      'indirizzo posta elettronica',
    ],
    ...['e mailadres', 'emailadres', 'e mail adres', 'email work', 'email home', 'email other', 'work email'],
  ],
  external_id: [
    ...['external id', 'id', 'crm id', 'contact id', 'customer id', 'record id', 'lead id', 'person id'],
    ...[
      'record id contact',
      'submission id',
      'datensatz id',
      'kontakt id',
      'id de registro',
      'id do registro',
    ],
    ...['id registro', 'id de l enregistrement', 'record id kontakt'],
  ],
  time_zone: [
    'time zone',
    'timezone',
    'tz',
    'zeitzone',
    'zona horaria',
    'fuseau horaire',
    'fuso horario',
    'fuso orario',
    'tijdzone',
  ],
  consent_source: ['consent source', 'quelle der einwilligung'],
  consent_at: ['consent at', 'consent date', 'consent time', 'datum der einwilligung'],
  consent_kind: [
    ...['consent kind', 'kind of consent', 'consent type', 'type of consent', 'art der einwilligung'],
  ],
  do_not_call: [
    ...['do not call', 'dnc', 'dont call', 'don t call', 'do not phone', 'nicht anrufen', 'no llamar'],
    ...['ne pas appeler', 'ne pas telephoner', 'nao ligar', 'nao telefonar', 'non chiamare', 'niet bellen'],
  ],
  country: [
    ...['country', 'country code', 'country region', 'country name', 'country iso', 'country iso code'],
    ...[
      'iso country code',
      'phone country',
      'phone country code',
      'dial code',
      'dialing code',
      'calling code',
    ],
    ...[
      'land',
      'land region',
      'pais',
      'pais region',
      'pays',
      'pays region',
      'paese',
      'paese regione',
      'nazione',
    ],
    ...['land regio'],
  ],
}

/** Headers for the country of an address. They count only if no column has the country itself. */
export const addressCountryNames: readonly string[] = [
  ...[
    'mailing country',
    'address country',
    'billing country',
    'home country region',
    'business country region',
  ],
  ...[
    'home country',
    'business country',
    'other country region',
    'address 1 country',
    'postal address country',
  ],
  ...['lieferland', 'postanschrift land', 'postland'],
]

/** Whole headers for numbers that people can be called at, whichever words they consist of. */
export const wholePhoneNames: readonly string[] = [
  ...[
    'contact number',
    'contact no',
    'whatsapp',
    'whatsapp number',
    'whatsapp phone number',
    'call number',
    'caller id',
    'kontaktnummer',
    'numero de contacto',
  ],
  ...['numero de contato', 'numero di contatto', 'contactnummer', 'phone 1 value', 'phone with country code'],
]

/** Headers that can mean the number of anything: a phone, an account, an invoice. */
export const weakPhoneNames: readonly string[] = ['number', 'nummer', 'numero']

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Words for a phone. A header with one of them, and otherwise only words of the next two lists, has phone numbers. */
export const phoneWords =
  words(`phone phones phoneno phonenumber telephone telephonenumber tel telno telephones
  telefon telefonnummer telefonnr telefono telefone telefones telefoon telefoonnummer mobile mobileno mobilephone
  mobilenumber mobilephonenumber mobil mobiltelefon mobiltelefonnummer mobilnummer mobilfunknummer handy handynummer
  cell cellphone cellphonenumber cellular celular cellulare movil portable gsm whatsapp mobiele rufnummer telemovel mobiel
  mobielnummer homephone workphone primaryphone businessphone landline festnetz festnetznummer haupttelefon
  haupttelefonnummer hauptrufnummer hauptnummer hoofdtelefoon hoofdtelefoonnummer hoofdnummer`)

export const phoneFillers =
  words(`number numbers no num nr nummer numero numeros n de del della di da do du of or and
  value 1 contact person lead customer client kontakt contacto contatto contato cliente primary main principal
  principale primair haupt hauptnummer preferred personal personale primaire mobile s is the a my your what whats ihre ihrer deine
  dein wie lautet ist votre quel quelle est le la su tu cual es seu sua qual o e il tuo suo wat uw je jouw telefon
  op please enter we can reach you at best phone`)

/** Words for a number that people are less likely to answer. Such a number is called only if the others can't be. */
export const secondPhoneWords =
  words(`work office business home other company second secondary alternative alternate
  alt additional landline homephone workphone businessphone 2 3 4 5 6 7 8 9 geschaftlich geschaftlicht arbeit dienstlich
  buro privat private zuhause andere weitere festnetz festnetznummer trabajo casa oficina otro travail domicile bureau
  professionnel autre lavoro ufficio altro abitazione trabalho escritorio residencial comercial outro werk thuis
  kantoor zakelijk ander fixe fijo fixo fisso firma weiteres zentrale particular residencia autres uff ab`)

/** Words before the name of a field that don't change its meaning. */
export const leadingWords =
  words(`person contact lead customer client kontakt contacto contatto contato cliente your my
  what s is whats the ihr ihre dein deine wie lautet votre quel est su tu cual es seu qual e il tuo wat uw je`)
// cspell:enable

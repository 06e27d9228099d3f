// cspell:disable
import { expect, it } from '@jest/globals'
import { guessColumns } from '../../../queue/contacts/import/guess-columns.ts'
import { getUse } from '../../../queue/contacts/import/import-columns.ts'

// The headers that other programs write, in several languages, and what Outdial guesses that the columns contain.

const phone = 'phone_number'
const first = 'first_name'
const last = 'last_name'
const id = 'external_id'

/** Each row is a file's header, with the guess for each column. `?` means that the user must choose a field. */
const files: [program: string, guesses: Record<string, string>][] = [
  [
    'HubSpot',
    {
      'Record ID': id,
      'First Name': first,
      'Last Name': last,
      Email: 'email',
      'Phone Number': `${phone} 1`,
      'Mobile Phone Number': `${phone} 2`,
      'Time Zone': 'time_zone',
      'Country/Region': 'country',
      'Unsubscribed from all email': 'variable',
      'Lead Status': 'variable',
    },
  ],
  ['HubSpot, with the name of the object', { 'Record ID - Contact': id, 'First Name': first }],
  [
    'HubSpot in German',
    {
      Vorname: first,
      Nachname: last,
      'E-Mail': 'email',
      Telefonnummer: `${phone} 1`,
      Mobiltelefonnummer: `${phone} 2`,
      'Land/Region': 'country',
      Zeitzone: 'time_zone',
    },
  ],
  [
    'HubSpot in Spanish',
    {
      'ID de registro': id,
      Nombre: first,
      Apellidos: last,
      Correo: 'email',
      'Número de teléfono': `${phone} 1`,
      'Número de teléfono móvil': `${phone} 2`,
      'País/región': 'country',
      'Zona horaria': 'time_zone',
    },
  ],
  [
    'HubSpot in French',
    {
      Prénom: first,
      Nom: last,
      'Adresse e-mail': 'email',
      'Numéro de téléphone': `${phone} 1`,
      'Numéro de téléphone portable': `${phone} 2`,
      'Pays/Région': 'country',
      'Fuseau horaire': 'time_zone',
    },
  ],
  [
    'HubSpot in Portuguese',
    {
      'Primeiro nome': first,
      Sobrenome: last,
      'E-mail': 'email',
      'Número de telefone': `${phone} 1`,
      'Número de telefone celular': `${phone} 2`,
      País: 'country',
      'Fuso horário': 'time_zone',
    },
  ],
  [
    'HubSpot in Italian',
    {
      Nome: first,
      Cognome: last,
      'Indirizzo e-mail': 'email',
      'Numero di telefono': `${phone} 1`,
      'Numero di cellulare': `${phone} 2`,
      Paese: 'country',
      'Fuso orario': 'time_zone',
    },
  ],
  [
    'HubSpot in Dutch',
    {
      Voornaam: first,
      Achternaam: last,
      'E-mailadres': 'email',
      Telefoonnummer: `${phone} 1`,
      'Mobiel telefoonnummer': `${phone} 2`,
      'Land/regio': 'country',
      Tijdzone: 'time_zone',
    },
  ],
  [
    'Salesforce',
    {
      'Contact ID': id,
      'First Name': first,
      'Last Name': last,
      Phone: `${phone} 1`,
      Mobile: `${phone} 2`,
      'Home Phone': `${phone} 3`,
      Fax: 'variable',
      Email: 'email',
      'Mailing Country': 'country',
      'Do Not Call': 'do_not_call',
      'Email Opt Out': 'variable',
      'Asst. Phone': 'variable',
    },
  ],
  [
    'Salesforce, from its data loader',
    {
      Id: id,
      FirstName: first,
      LastName: last,
      Phone: `${phone} 1`,
      MobilePhone: `${phone} 2`,
      DoNotCall: 'do_not_call',
      HasOptedOutOfEmail: 'variable',
    },
  ],
  [
    'Salesforce in German',
    {
      Vorname: first,
      Nachname: last,
      Telefon: `${phone} 1`,
      Mobiltelefon: `${phone} 2`,
      'E-Mail': 'email',
      'Nicht anrufen': 'do_not_call',
    },
  ],
  [
    'Salesforce in Spanish',
    {
      Nombre: first,
      Apellidos: last,
      Teléfono: `${phone} 1`,
      Móvil: `${phone} 2`,
      'Correo electrónico': 'email',
      'No llamar': 'do_not_call',
    },
  ],
  [
    'Salesforce in French',
    {
      Prénom: first,
      Nom: last,
      Téléphone: `${phone} 1`,
      Mobile: `${phone} 2`,
      'Ne pas appeler': 'do_not_call',
    },
  ],
  [
    'Salesforce in Portuguese',
    {
      'Nome próprio': first,
      Apelido: last,
      Telefone: `${phone} 1`,
      Celular: `${phone} 2`,
      'Não ligar': 'do_not_call',
    },
  ],
  [
    'Salesforce in Italian',
    {
      Nome: first,
      Cognome: last,
      Telefono: `${phone} 1`,
      Cellulare: `${phone} 2`,
      'Non chiamare': 'do_not_call',
    },
  ],
  [
    'Salesforce in Dutch',
    {
      Voornaam: first,
      Achternaam: last,
      Telefoon: `${phone} 1`,
      Mobiel: `${phone} 2`,
      'Niet bellen': 'do_not_call',
    },
  ],
  [
    'Google Contacts',
    {
      'First Name': first,
      'Middle Name': 'variable',
      'Last Name': last,
      'Phonetic First Name': 'variable',
      'E-mail 1 - Label': 'variable',
      'E-mail 1 - Value': 'email',
      'Phone 1 - Label': 'variable',
      'Phone 1 - Value': `${phone} 1`,
      'Phone 2 - Label': 'variable',
      'Phone 2 - Value': `${phone} 2`,
      'Address 1 - Country': 'country',
    },
  ],
  [
    'Google Contacts, before 2024',
    {
      Name: 'name',
      'Given Name': first,
      'Family Name': last,
      'E-mail 1 - Type': 'variable',
      'E-mail 1 - Value': 'email',
      'Phone 1 - Type': 'variable',
      'Phone 1 - Value': `${phone} 1`,
    },
  ],
  [
    'Outlook',
    {
      'First Name': first,
      'Last Name': last,
      'Primary Phone': `${phone} 1`,
      'Home Phone': `${phone} 3`,
      'Mobile Phone': `${phone} 2`,
      'Business Phone': `${phone} 4`,
      'Business Fax': 'variable',
      Pager: 'variable',
      "Assistant's Phone": 'variable',
      'E-mail Address': 'email',
      'Home Country/Region': 'country',
    },
  ],
  [
    'Outlook in German',
    {
      Vorname: first,
      Nachname: last,
      Mobiltelefon: `${phone} 1`,
      'Telefon geschäftlich': `${phone} 2`,
      'Telefon (privat)': `${phone} 3`,
      'Fax geschäftlich': 'variable',
      'E-Mail-Adresse': 'email',
    },
  ],
  [
    'Outlook in German, of people with a main number',
    {
      Haupttelefon: `${phone} 1`,
      'Telefon Firma': `${phone} 2`,
      'Weiteres Telefon': `${phone} 3`,
      'Land/Region (geschäftlich)': 'country',
      'Land/Region (privat)': 'country',
    },
  ],
  [
    'Outlook in Spanish',
    {
      Nombre: first,
      Apellidos: last,
      'Teléfono principal': `${phone} 1`,
      'Teléfono móvil': `${phone} 2`,
      'Teléfono del trabajo': `${phone} 3`,
      'País o región del trabajo': 'country',
      'Dirección de correo electrónico': 'email',
    },
  ],
  [
    'Outlook in French',
    {
      Prénom: first,
      Nom: last,
      'Tél. mobile': `${phone} 1`,
      'Téléphone principal': `${phone} 2`,
      'Téléphone (bureau)': `${phone} 3`,
      'Pays/Région (bureau)': 'country',
      'Adresse de messagerie': 'variable',
    },
  ],
  [
    'Outlook in Portuguese',
    {
      Nome: first,
      Sobrenome: last,
      Celular: `${phone} 1`,
      'Telefone comercial': `${phone} 2`,
      'Endereço de email': 'email',
    },
  ],
  [
    'Outlook in Italian',
    {
      Nome: first,
      Cognome: last,
      Cellulare: `${phone} 1`,
      'Telefono principale': `${phone} 2`,
      'Telefono (ufficio)': `${phone} 3`,
      'Paese (uff.)': 'country',
      'Indirizzo posta elettronica': 'email',
    },
  ],
  [
    'Outlook in Dutch',
    {
      Voornaam: first,
      Achternaam: last,
      'Mobiele telefoon': `${phone} 1`,
      Hoofdtelefoon: `${phone} 2`,
      'Telefoon op werk': `${phone} 3`,
      'Land/regio (werk)': 'country',
      'E-mailadres': 'email',
    },
  ],
  [
    'Pipedrive',
    {
      'Person - ID': id,
      'Person - Name': 'name',
      'Person - First name': first,
      'Person - Last name': last,
      'Person - Phone - Work': `${phone} 2`,
      'Person - Phone - Mobile': `${phone} 1`,
      'Person - Email - Work': 'email',
      'Person - Marketing status': '?',
    },
  ],
  [
    'Pipedrive in German',
    {
      'Person - Vorname': first,
      'Person - Telefon - Mobil': `${phone} 1`,
      'Person - Telefon - Arbeit': `${phone} 2`,
    },
  ],
  [
    'Zoho',
    {
      'Record Id': id,
      'First Name': first,
      'Last Name': last,
      Email: 'email',
      Phone: `${phone} 1`,
      Mobile: `${phone} 2`,
      'Other Phone': `${phone} 3`,
      'Mailing Country': 'country',
      'Email Opt Out': 'variable',
      'Unsubscribed Mode': '?',
      'Unsubscribed Time': '?',
    },
  ],
  [
    'Mailchimp',
    {
      'Email Address': 'email',
      'First Name': first,
      'Last Name': last,
      'Phone Number': `${phone} 1`,
      MEMBER_RATING: 'variable',
      OPTIN_TIME: '?',
      TIMEZONE: 'time_zone',
    },
  ],
  [
    'Meta Lead Ads',
    {
      id,
      created_time: 'variable',
      ad_id: 'variable',
      platform: 'variable',
      full_name: 'name',
      phone_number: `${phone} 1`,
      email: 'email',
      lead_status: 'variable',
    },
  ],
  [
    'Meta Lead Ads in Spanish',
    { id, nombre_completo: 'name', número_de_teléfono: `${phone} 1`, correo_electrónico: 'email' },
  ],
  [
    'Meta Lead Ads in German',
    { vollständiger_name: 'name', telefonnummer: `${phone} 1`, 'e-mail-adresse': 'email' },
  ],
  ['Meta Lead Ads in French', { nom_complet: 'name', numéro_de_téléphone: `${phone} 1` }],
  ['Meta Lead Ads in Portuguese', { nome_completo: 'name', número_de_telefone: `${phone} 1` }],
  ['Meta Lead Ads in Italian', { nome_e_cognome: 'name', numero_di_telefono: `${phone} 1` }],
  ['Meta Lead Ads in Dutch', { volledige_naam: 'name', telefoonnummer: `${phone} 1` }],
  [
    'Typeform',
    {
      '#': 'variable',
      'First name': first,
      'Last name': last,
      "What's your phone number?": `${phone} 1`,
      "What's your email?": 'email',
      "What's the best time to phone you?": 'variable',
    },
  ],
  ['Typeform in German', { 'Wie lautet Ihre Telefonnummer?': `${phone} 1` }],
  ['Typeform in Spanish', { '¿Cuál es tu número de teléfono?': `${phone} 1` }],
  ['Typeform in French', { 'Quel est votre numéro de téléphone ?': `${phone} 1` }],
  ['Typeform in Portuguese', { 'Qual é o seu número de telefone?': `${phone} 1` }],
  ['Typeform in Italian', { 'Qual è il tuo numero di telefono?': `${phone} 1` }],
  ['Typeform in Dutch', { 'Wat is uw telefoonnummer?': `${phone} 1` }],
  [
    'Jotform',
    {
      'Submission Date': 'variable',
      'Full Name - First': first,
      'Full Name - Last': last,
      'Phone Number': `${phone} 1`,
      Email: 'email',
      'Submission ID': id,
    },
  ],
  [
    'a person',
    {
      Number: 'variable',
      Customer: 'variable',
      Phone: `${phone} 1`,
      'Contact Number': `${phone} 2`,
      'Mobile No.': `${phone} 3`,
      'WhatsApp Number': `${phone} 4`,
    },
  ],
  ['a person who has only a number', { Number: `${phone} 1`, Customer: 'variable' }],
  [
    'a person with two spellings',
    { Phone: `${phone} 1`, 'Phone number': `${phone} 2`, Mail: 'variable', Email: 'email' },
  ],
  [
    'a person who knows who agreed',
    {
      Phone: `${phone} 1`,
      Status: '?',
      'Opt In': '?',
      'Permission to call': '?',
      'Agreed to calls?': '?',
      'Call consent': '?',
      Consent: '?',
      Unsubscribed: '?',
      'Do not contact': '?',
      'DNC Date': '?',
      'SMS Opt Out': 'variable',
      'Call Opt-Out': 'do_not_call',
      DNC: 'do_not_call',
      'Has opted out of calls': 'do_not_call',
      'Consent source': 'consent_source',
      'Consent date': 'consent_at',
      'Consent kind': 'consent_kind',
    },
  ],
  [
    'a person who knows how people agreed',
    { Phone: `${phone} 1`, 'Kind of consent': 'consent_kind', consent_date: 'consent_at', Agreement: '?' },
  ],
  ['a person with another name for it', { Phone: `${phone} 1`, 'Type of Consent': 'consent_kind' }],
  [
    'a person who names calls together with other channels',
    {
      Phone: `${phone} 1`,
      'Do Not Call/Text': '?',
      'I agree to receive calls and texts': '?',
      'Consent (calls and email)': '?',
      'Contact permission (email/phone)': '?',
      'I consent to calls and can opt out at any time': '?',
      'Do not contact by email': 'variable',
      'Accepts Email Marketing': 'variable',
    },
  ],
  [
    'a person who asks who may be called',
    {
      Phone: `${phone} 1`,
      'Not to be called': 'do_not_call',
      "Please don't call me": 'do_not_call',
      'Call me?': '?',
      TCPA: '?',
      'May we call you about your request?': '?',
      'Call Status': '?',
      'When can we call you?': 'variable',
      'Last call': 'variable',
    },
  ],
  [
    'a person who asks who may be called in other languages',
    {
      'Acepta llamadas': '?',
      'No me llamen': 'do_not_call',
      'Teléfono contacto': `${phone} 1`,
      'Dürfen wir Sie anrufen?': '?',
      'Bitte nicht mehr anrufen': 'do_not_call',
      'Rückruf erwünscht': '?',
      'Peut-on vous appeler ?': '?',
      'Ne souhaite pas être appelé': 'do_not_call',
      'Aceita ligações': '?',
      'Possiamo chiamarti?': '?',
      'Non chiamare più': 'do_not_call',
      'Mogen we u bellen?': '?',
      'Niet meer bellen': 'do_not_call',
    },
  ],
  [
    'a person who mentions phones in several headers',
    {
      Phone: `${phone} 1`,
      'Phone Extension': 'variable',
      'Last Phone Call': 'variable',
      'Spouse Phone': 'variable',
      'Phone Model': 'variable',
    },
  ],
  ['Outdial with rejected rows', { Phone: `${phone} 1`, 'Outdial: Reason': 'ignore' }],
  [
    'a person who has columns for reasons',
    { Phone: `${phone} 1`, 'Outdial: Reason': 'variable', Reason: 'variable' },
  ],
]

it.each(files)('recognizes the headers of a file from %s', (_, guesses) => {
  const columns = guessColumns(Object.keys(guesses))
  const found = columns.map((column) => {
    const use = getUse(column) ?? '?'
    return [column.header, column.rank > 0 ? `${use} ${column.rank}` : use]
  })
  expect(Object.fromEntries(found)).toEqual(guesses)
})

it.each([
  ['OK by phone', ['1', '0'], '?'],
  ['Phone', ['yes', 'no'], '?'],
  ['Kontakt', ['nein'], '?'],
  ['Telefone', ['sim', 'não'], '?'],
  ['Accepts marketing', ['Yes', '-'], '?'],
  ['Contact me', ['Contact me'], '?'],
  ['When can we call you?', ['no'], '?'],
  ['Call me at', ['+1 202 555 0100'], 'variable'],
  ['Contact', ['Ann Lee'], 'variable'],
  ['Call type', ['cold'], 'variable'],
  ['Phone country', ['NO'], 'country'],
  ['Roof', ['yes'], 'variable'],
])(
  'if a header could mean permission, asks about the column only if its values say yes or no: %s %j',
  (header, values, use) => {
    const [column] = guessColumns([header, 'Mobile'], [values, ['+12025550100']])
    expect(column && (getUse(column) ?? '?')).toBe(use)
  },
)
// cspell:enable

// Words in headers of columns that say who opted out or agreed to be called, in several languages, without accents and
// punctuation.

// cspell:disable
/** Parts of headers, without spaces, of columns that say who opted out. */
export const optOutPattern = new RegExp(
  [
    ...['donotcall', 'donotcontact', 'donotphone', 'dontcall', 'dontphone', 'dontcontact', 'dnc'],
    ...['notto?be(?:call|phon|contact)ed', 'optout', 'optedout', 'unsubscri', 'neverc(?:all|ontact)'],
    ...['bloctel', 'robinson', 'belmeniet', 'opposizioni'],
  ].join('|'),
)

/** Matches opt-outs in other languages in the words of a header. Without spaces, “teléfono llamada” would match “no llamar”. */
export const optOutPhrase = new RegExp(
  `\\b(?:${[
    ...[
      'nicht (?:mehr )?(?:an(?:zu|ge)?rufen|telefon|kontaktier)',
      'keine? (?:werbe)?(?:anruf|telefon|kontakt)',
    ],
    ...[
      'no (?:(?:me|le|les|nos|se le) )?(?:llam|contactar)',
      'no (?:desea|quier)\\w* (?:\\w+ )?(?:llam|contact)',
    ],
    ...['pas (?:d |etre |me |m )?(?:appel|telephoner|contacter)', 'nao (?:me )?(?:lig|telefon|cham|contat)'],
    ...[
      'non (?:mi )?(?:chiam|telefonare|contattare)',
      'niet (?:meer )?(?:op)?(?:bel|gebeld|contact|telefon)',
    ],
    ...['geen telefo'],
  ].join('|')})`,
)

/** Parts of headers, without spaces, of columns that say who agreed to something. */
export const consentPattern = new RegExp(
  [
    ...['optin', 'optedin', 'subscri', 'consent', 'permission', 'einwilligung', 'zustimmung', 'consenso'],
    ...['toestemming', 'autoriz', 'autoris', 'gdpr', 'dsgvo', 'rgpd', 'tcpa', 'blocklist', 'blacklist'],
    ...['suppress', 'maycall', 'cancall', 'oktocall', 'okaytocall', 'allowcall', 'agree', 'einverstanden'],
    ...['akkoord', 'nocalls', 'donotdisturb', '(?:contact|call|phone|communication)preferences?$'],
  ].join('|'),
)

/** Whole headers that often say that a person must not be called. */
export const statusNames: ReadonlySet<string> = new Set([
  'status',
  'callstatus',
  'phonestatus',
  'contactstatus',
  'marketingstatus',
  'personmarketingstatus',
  'abonnementstatus',
])

/** Matches other channels. Their opt-outs say nothing about calls, unless the header also names calls. */
export const otherChannelPattern = /mail|courriel|correo|sms|text|fax|newsletter/
export const callPattern =
  /call|phone|voice|tele(?:f|ph)on|telefoon|telefoni|anruf|angeruf|anzuruf|llam|appel|ligar|ligac|ligue|chamad|chiam|bellen|gebeld/

/** Words in headers of columns that say when, how, or why someone opted out, not whether. */
export const detailPattern = /date|time|reason|source|mode|method|datum|fecha|grund/

/** Words for calling and contacting, as in “Call me?” */
export const callVerb = new RegExp(
  `^(?:${[
    ...['call(?:s|ed|ing)?', 'cold(?:call|calls)', 'robocalls?', 'phon(?:ed|ing)', 'ring', 'dial(?:ed|ing)?'],
    ...['contact(?:s|ed|ing)', 'reached', 'anruf\\w*', 'angerufen', 'anzurufen', 'telefon(?:isch|ier)\\w*'],
    ...[
      'kontakt(?:ier|auf)\\w*',
      'ruckruf\\w*',
      'llam\\w*',
      'contact(?:ar\\w*|er|ez)',
      'r?appel\\w*',
      'telephon(?:er|ez)',
    ],
    ...['lig(?:ar|acao|acoes|amos|ue\\w*)', 'chamadas?', 'telefon(?:ar|are|ate|arci|arti|arle|aros?)'],
    ...['contat(?:ar|to)', 'r?i?chiam\\w*', 'contatt(?:are|arti|arla|ato)', '(?:op)?bel(?:len|t)?', 'gebeld'],
    ...['gecontacteerd', 'contacteren'],
  ].join('|')})$`,
)

/**
 * Words for a phone and a contact, as in “By phone”. A header with these words asks for permission only if its values are yes
 * or no.
 */
export const callNoun =
  /^(?:(?:tele)?phones?|mobile|cell|voice|contact|kontakt|contacto|contatto|contato|call\w*|tele(?:f|ph)on\w*|telefoo?n\w*)$/

/** Words that ask for permission, or say that it was given or refused. */
export const permissionWord = new RegExp(
  `^(?:${[
    ...[
      'accept\\w*',
      'allow\\w*',
      'authori\\w*',
      'consen\\w*',
      'permi\\w*',
      'opt(?:ed|in|out)?',
      'ok',
      'okay',
    ],
    ...['stop\\w*', 'block\\w*', 'suppress\\w*', 'exclude\\w*', 'remove', 'refus\\w*', 'akzept\\w*'],
    ...['erlaub\\w*', 'zustimm\\w*', 'einwillig\\w*', 'gesperrt', 'sperr\\w*', 'acept\\w*', 'autori\\w*'],
    ...['bloque\\w*', 'aceit\\w*', 'accett\\w*', 'blocc\\w*', 'toegesta\\w*', 'toestem\\w*', 'geblokkeerd'],
  ].join('|')})$`,
)

/** Words that ask for permission before a word for calling: “May we call you?” */
export const requestWord = new RegExp(
  `^(?:${[
    ...['me', 'may', 'can', 'could', 'shall', 'should', 'please', 'wants?', 'wish\\w*', 'willing', 'happy'],
    ...['like', 'receiv\\w*', 'not', 'never', 'dont', 'mich', 'darf', 'durfen', 'bitte', 'mochte\\w*'],
    ...[
      'wunsch\\w*',
      'nicht',
      'kein\\w*',
      'nos',
      'pued\\w*',
      'podemos',
      'quier\\w*',
      'dese\\w*',
      'recib\\w*',
    ],
    ...['peu[tx]', 'pouvons', 'pouvez', 'souhait\\w*', 'veu[tx]', 'recev\\w*', 'pas', 'pode\\w*', 'quer\\w*'],
    ...[
      'receb\\w*',
      'nao',
      'puo',
      'possiamo',
      'vuo[il]e?',
      'desider\\w*',
      'ricev\\w*',
      'non',
      'mag',
      'mogen',
    ],
    ...['wil', 'wilt', 'wenst', 'niet', 'geen'],
  ].join('|')})$`,
)

/** Words for facts about calls other than permission: “When can we call you?”, “Last call” */
export const callDetailWord = new RegExp(
  `^(?:${[
    ...[
      'when',
      'where',
      'why',
      'how',
      'what',
      'whats',
      'which',
      'who',
      'times?',
      'dates?',
      'days?',
      'hours?',
    ],
    ...['last', 'next', 'first', 'result', 'outcome', 'attempts?', 'count', 'duration', 'notes?', 'log'],
    ...['owner', 'agent', 'reason', 'center', 'recording', 'wann', 'warum', 'uhrzeit', 'letzter?', 'datum'],
    ...['cuando', 'hora', 'horario', 'fecha', 'ultim[ao]', 'quand', 'heures?', 'dernier', 'quando', 'horas'],
    ...['ora', 'orario', 'wanneer', 'tijd', 'tijdstip', 'laatste'],
  ].join('|')})$`,
)
// cspell:enable

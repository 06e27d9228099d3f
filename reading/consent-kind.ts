import { toNameKey } from './name-key.ts'

// cspell:disable
const writtenWords = new Set([
  ...['written', 'inwriting', 'writing', 'writtenconsent', 'expresswritten', 'expresswrittenconsent'],
  ...['priorexpresswritten', 'priorexpresswrittenconsent', 'signed', 'signature', 'signedform', 'esigned'],
  ...['esignature', 'electronicsignature', 'electronicallysigned', 'schriftlich', 'escrito', 'porescrito'],
  ...['ecrit', 'parecrit', 'scritto', 'periscritto', 'schriftelijk'],
])
const oralWords = new Set([
  ...['oral', 'orally', 'oralconsent', 'verbal', 'verbally', 'verbalconsent', 'spoken', 'byphone'],
  ...['bytelephone', 'byphonecall', 'onthephone', 'overthephone', 'overthetelephone', 'viaphone'],
  ...['mundlich', 'telefonisch', 'amtelefon', 'verbale', 'orale', 'oralement', 'oralmente', 'verbalement'],
  ...['verbalmente', 'partelephone', 'portelefono', 'portelefone', 'pertelefono', 'mondeling'],
])
// cspell:enable

/** Reads how a person agreed. Returns undefined for other text, such as "Web": only the user knows what it means. */
export function readConsentKind(text: string): 'written' | 'oral' | undefined {
  const word = toNameKey(text)
  if (writtenWords.has(word)) return 'written'
  return oralWords.has(word) ? 'oral' : undefined
}

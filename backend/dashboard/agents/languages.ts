/** Languages that an agent can be given, by BCP 47 tag. */
// prettier-ignore
const languageTags = [
  'en-US', 'en-GB', 'en-AU', 'en-CA', 'en-IN', 'en-IE', 'es-ES', 'es-MX', 'es-US', 'fr-FR', 'fr-CA', 'de-DE',
  'de-AT', 'de-CH', 'it-IT', 'pt-BR', 'pt-PT', 'nl-NL', 'nl-BE', 'da-DK', 'sv-SE', 'nb-NO', 'fi-FI', 'pl-PL',
  'cs-CZ', 'sk-SK', 'hu-HU', 'ro-RO', 'bg-BG', 'el-GR', 'tr-TR', 'uk-UA', 'ru-RU', 'he-IL', 'ar-SA', 'ar-AE',
  'hi-IN', 'bn-IN', 'ta-IN', 'id-ID', 'ms-MY', 'th-TH', 'vi-VN', 'fil-PH', 'ja-JP', 'ko-KR', 'zh-CN', 'zh-TW',
]

const languageNames = new Intl.DisplayNames('en-US', { type: 'language', languageDisplay: 'standard' })

/** "German (Austria)"; the tag itself where nobody knows a name. */
export function languageName(tag: string): string {
  try {
    return languageNames.of(tag) ?? tag
  } catch {
    return tag
  }
}

/** The choices of a form, with the one that is chosen, by name. */
export const languageChoices = (chosen: string): { value: string; label: string }[] =>
  [...new Set([...languageTags, chosen])]
    .map((value) => ({ value, label: languageName(value) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'))

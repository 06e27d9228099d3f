// cspell:ignore schriftlich escrito écrit iscritto schriftelijk mündlich telefonisch téléphone mondeling
/** Each row: a text about how a person agreed, and the kind that it means. */
export const consentKindCases: readonly (readonly [text: string, kind: 'written' | 'oral'])[] = [
  ...[
    'Written',
    'WRITTEN',
    'written ',
    'in writing',
    'In-Writing',
    'Signed',
    'signed.',
    'e-signature',
    'E-signed',
  ].map((text) => [text, 'written'] as const),
  ...[
    'Prior express written consent',
    'schriftlich',
    'por escrito',
    'par écrit',
    'per iscritto',
    'schriftelijk',
  ].map((text) => [text, 'written'] as const),
  ...['Oral', 'orally', 'verbal', 'Verbally', 'by phone', 'By-Phone', 'over the phone', 'spoken'].map(
    (text) => [text, 'oral'] as const,
  ),
  ...['mündlich', 'telefonisch', 'par téléphone', 'mondeling'].map((text) => [text, 'oral'] as const),
]

/** Texts that don't say how a person agreed: they name the way of asking, a channel, or a refusal. */
export const unreadableConsentKinds: readonly string[] = [
  ...['', ' ', 'Web', 'Website form', 'phone', 'email', 'express', 'implied', 'Yes', 'No', 'none'],
  ...['not written', 'not signed', 'unsigned', 'written, oral', 'w', '1'],
]

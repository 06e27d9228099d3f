import type { Phrases } from './phrases.ts'

// cspell:disable
export const de: Phrases = {
  aiDisclosure: 'Sie sprechen mit einer KI.',
  defaultGreeting: 'Hallo {{name}}, hier ist {{agent}}. Haben Sie einen Moment Zeit?',
  toolFiller: 'Einen Moment, bitte.',
  thinkingFiller: 'Lassen Sie mich kurz überlegen.',
  silenceQuestion: 'Sind Sie noch dran?',
  silenceGoodbye: 'Ich höre Sie leider nicht mehr und lege jetzt auf. Auf Wiederhören.',
  notUnderstood: 'Entschuldigung, das habe ich nicht verstanden. Können Sie es bitte noch einmal sagen?',
  optedOut: 'In Ordnung, wir rufen Sie nicht mehr an. Auf Wiederhören.',
  timeUp: 'Leider ist unsere Zeit um. Vielen Dank für das Gespräch. Auf Wiederhören.',
  technicalTrouble: 'Es tut mir leid, ich habe ein technisches Problem und muss das Gespräch beenden.',
  goodbye: 'Vielen Dank. Auf Wiederhören.',
}

import type { Phrases } from './phrases.ts'

// cspell:disable
export const es: Phrases = {
  aiDisclosure: 'Está hablando con una inteligencia artificial.',
  defaultGreeting: 'Hola, {{name}}, soy {{agent}}. ¿Tiene un momento?',
  toolFiller: 'Un momento, por favor.',
  thinkingFiller: 'Déjeme pensar un momento.',
  silenceQuestion: '¿Sigue ahí?',
  silenceGoodbye: 'Parece que ya no me oye, así que voy a colgar. Hasta luego.',
  notUnderstood: 'Disculpe, no he entendido bien. ¿Puede repetirlo, por favor?',
  optedOut: 'De acuerdo, no volveremos a llamarle. Hasta luego.',
  timeUp: 'Se nos ha acabado el tiempo. Muchas gracias por atenderme. Hasta luego.',
  technicalTrouble: 'Disculpe, tengo un problema técnico y debo terminar la llamada.',
  goodbye: 'Gracias. Adiós.',
}
